import Foundation
import TestTools

/// The documents whose snippets these tests compile, and the files that compile them.
struct Documentation {
  let root = Checkout.root

  /// The sections whose Swift code is a package manifest, which these tests cannot compile.
  static let manifests: Set = [
    "Both in one program", "The manifest", "The products",
  ]

  /// The modules whose documentation comments have examples.
  private static let modules = [
    "ClientDependencies", "ClientDependenciesMacros", "ClientDependenciesTestSupport",
  ]

  /// Files outside the snippets' folder that contain examples of the documentation.
  private static let examplesElsewhere = [
    "Samples/Tests/Dictation/RecordedDictationTests.swift",
    "Samples/Tests/Dictation/ScriptedDictationTests.swift",
    "Samples/Memo/Sources/Memo/Memo.swift",
    "Samples/Memo/Tests/MemoTests/MemoTests.swift",
    "Samples/EchoDelay/EchoDelay.swift",
    "Samples/RecordSpeech/RecordSpeech.swift",
    "Samples/Tests/RoomMonitor/FaultScriptTests.swift",
    "Samples/Tests/RoomMonitor/RecordedRoomTests.swift",
    "Tests/Audio/SoundFile/StreamExampleTests.swift",
    "Tests/SyrinxTestSupport/ClosedLoopTests.swift",
    "Tests/SyrinxTestSupport/Diagrams/StreamDiagramTests.swift",
    "Tests/SyrinxTestSupport/EchoCancellationTests.swift",
    "Tests/SyrinxTestSupport/PipelinesTests.swift",
  ]

  func documents() throws -> [Document] {
    try pages() + comments()
  }

  /// Returns the README and the articles, named by their paths from the package's root.
  func pages() throws -> [Document] {
    try [page("README.md")] + catalogs().flatMap(articles)
  }

  /// Returns the DocC catalogs, such as `Sources/Audio/SoundFile/SoundFile.docc`.
  func catalogs() throws -> [String] {
    try filesBelow("Sources", ending: ".docc").map { "Sources/\($0)" }
  }

  /// Returns the modules that have a catalog.
  func modules() throws -> [String] {
    try catalogs().compactMap { $0.split(separator: "/").last?.dropLast(".docc".count) }
      .map(String.init)
  }

  func articles(in catalog: String) throws -> [Document] {
    try files(in: catalog, ending: ".md").map { try page("\(catalog)/\($0)") }
  }

  /// Returns whether a path, relative to the package's root, leads to a file.
  func hasFile(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  private func page(_ path: String) throws -> Document {
    Document(name: path, text: try text(of: path))
  }

  /// Returns the comments of each source file as a document.
  func comments() throws -> [Document] {
    try Self.modules.flatMap { module in
      try filesBelow("Sources/Dependencies/\(module)", ending: ".swift").map {
        Document(
          name: "\(module)/\($0)", commentsOf: try text(of: "Sources/Dependencies/\(module)/\($0)"))
      }
    }
  }

  func products() throws -> Set<String> {
    let product = /\.library\(\s*name: "(\w+)"/
    return Set(try text(of: "Package.swift").matches(of: product).map { String($0.1) })
  }

  func compiledFiles() throws -> [Code] {
    let folder = "Tests/Project/Documentation/Snippets"
    let snippets = try files(in: folder, ending: ".swift").map { "\(folder)/\($0)" }
    return try (snippets + Self.examplesElsewhere).map { Code(try text(of: $0)) }
  }

  private func files(in folder: String, ending: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(ending) }.sorted()
  }

  private func filesBelow(_ folder: String, ending: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(ending) }.sorted()
  }

  private func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
