import Foundation

/// The documents whose snippets these tests compile, and the files that compile them.
struct Documentation {
  let root: URL

  init(thisFile: String = #filePath) {
    root = URL(filePath: thisFile)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }

  /// The sections of the README whose blocks are parts of programs; what others show is for a
  /// manifest.
  static let sectionsOfReadMe = ["In a program", "Dependencies in a feature"]

  /// Examples that are tested where what they show is tested.
  private static let examplesElsewhere = ["Tests/SoundFileTests/StreamExampleTests.swift"]

  func documents() throws -> [Document] {
    let readMe = Document(name: "README.md", text: try text(of: "README.md"))
    return try articles() + Self.sectionsOfReadMe.map(readMe.section)
  }

  func articles() throws -> [Document] {
    let catalogue = "Sources/ClientDependencies/ClientDependencies.docc"
    return try files(in: catalogue, ending: ".md").map {
      Document(name: $0, text: try text(of: "\(catalogue)/\($0)"))
    }
  }

  func compiledFiles() throws -> [Code] {
    let folder = "Tests/DocumentationTests/Snippets"
    let snippets = try files(in: folder, ending: ".swift").map { "\(folder)/\($0)" }
    return try (snippets + Self.examplesElsewhere).map { Code(try text(of: $0)) }
  }

  private func files(in folder: String, ending: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(ending) }.sorted()
  }

  private func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
