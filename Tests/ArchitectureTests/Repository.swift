import Foundation

/// The package that these tests belong to, found by where this file is.
struct Repository {
  let root: URL

  init(thisFile: String = #filePath) {
    root = URL(filePath: thisFile)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }

  /// All files below a folder, in the order of their paths; none where the folder is missing.
  func files(below folder: String) throws -> [SourceFile] {
    let top = root.appending(path: folder)
    guard FileManager.default.fileExists(atPath: top.path) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: top.path).sorted()
      .map { "\(folder)/\($0)" }
      .filter(isFile)
      .map { SourceFile(path: $0, text: try text(of: $0)) }
  }

  /// The names of the folders directly in a folder.
  func folders(in folder: String) throws -> Set<String> {
    let path = root.appending(path: folder).path
    let entries = try FileManager.default.contentsOfDirectory(atPath: path)
    return Set(entries.filter { !isFile("\(folder)/\($0)") })
  }

  /// A file as text; bytes that are no UTF-8 are replaced, since no rule looks for them.
  func text(of path: String) throws -> String {
    String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
  }

  private func isFile(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(
      atPath: root.appending(path: path).path, isDirectory: &isFolder)
    return exists && !isFolder.boolValue
  }
}
