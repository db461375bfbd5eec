import FilePaths

/// A folder that may not be there.
struct Folder {
  let path: String

  init(_ path: String) {
    self.path = path
  }

  /// The names in it, in alphabetical order; none where it is missing or may not be read.
  var names: [String] {
    FilePath(path).names?.map(\.text).sorted() ?? []
  }

  /// The paths of those that begin so.
  func entries(_ prefix: String) -> [String] {
    names.filter { $0.hasPrefix(prefix) }.map { "\(path)/\($0)" }
  }

  func has(_ name: String) -> Bool {
    FilePath("\(path)/\(name)").status != nil
  }
}
