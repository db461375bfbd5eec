import FilePaths
import Foundation
import TestTools
import Testing

@testable import ONNXRuntime

@Suite struct InstalledFolderTests {
  private let folder: TestFolder
  private let path: FilePath

  /// Installs a component of two files.
  init() throws {
    folder = try TestFolder()
    path = FilePath(folder.url)
    try Data("weights".utf8).write(to: folder.file("model.ort"))
    try Data("tokens".utf8).write(to: folder.file("tokenizer.bin"))
    try InstalledFolder.record(
      path, component: "moonshine", version: "0.1.4", files: ["model.ort", "tokenizer.bin"])
  }

  private func file(_ name: String = "model.ort") throws -> FilePath {
    try InstalledFolder(path).file(name)
  }

  private func change(_ attributes: [FileAttributeKey: Any], of name: String) throws {
    try FileManager.default.setAttributes(attributes, ofItemAtPath: folder.file(name).path)
  }

  @Test func `an intact component matches its manifest`() throws {
    let installed = try InstalledFolder(path)
    #expect(installed.manifest?.version == "0.1.4")
    #expect(
      installed.manifest?.files[0].sha256
        == "9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c")
    #expect(try file() == path.appending("model.ort"))
    #expect(installed.has("model.ort") && !installed.has("other.ort"))
    try installed.verify()
    #expect(try folder.names == ["manifest.json", "model.ort", "tokenizer.bin"])
  }

  @Test func `the error for a missing or truncated file contains the file's name`() throws {
    let model = folder.file("model.ort")
    try Data("weight".utf8).write(to: model)
    #expect(
      throws: ONNXError.fileDamaged(
        path: FilePath(model), reason: "it has 6 bytes instead of 7")
    ) { try file() }
    try FileManager.default.removeItem(at: model)
    #expect(throws: ONNXError.fileMissing(path: FilePath(model))) { try file() }
    #expect(throws: ONNXError.fileMissing(path: "/nowhere")) { try InstalledFolder("/nowhere") }
  }

  @Test func `an altered file is an error, and a file with only a new date is not`() throws {
    let date = try #require(
      try FileManager.default.attributesOfItem(atPath: folder.file("model.ort").path)[
        .modificationDate] as? Date)
    try change([.modificationDate: date.addingTimeInterval(5)], of: "model.ort")
    #expect(try file() == path.appending("model.ort"))
    try Data("weighty".utf8).write(to: folder.file("model.ort"))
    try change([.modificationDate: date.addingTimeInterval(5)], of: "model.ort")
    let damage = ONNXError.fileDamaged(
      path: path.appending("model.ort"), reason: "its SHA-256 differs from the recorded one")
    #expect(throws: damage) { try file() }
    #expect(throws: damage) { try InstalledFolder(path).verify() }
    #expect(
      damage.description.hasSuffix(
        "is damaged: its SHA-256 differs from the recorded one; install it again"))
  }

  @Test(arguments: ["manifest.json", "model.ort", "."])
  func `a folder or file that every user may change is refused`(name: String) throws {
    try change([.posixPermissions: 0o777], of: name)
    #expect {
      try file()
    } throws: { error in
      guard case .fileUnsafe(_, let reason) = error as? ONNXError else { return false }
      return reason == "every user may change it"
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only the administrator gives files away"))
  func `a file of another user is accepted unless that user's group may change it`()
    throws
  {
    try change([.ownerAccountID: 1_234], of: "model.ort")
    #expect(try file() == path.appending("model.ort"))
    try change([.posixPermissions: 0o664], of: "model.ort")
    #expect(
      throws: ONNXError.fileUnsafe(
        path: path.appending("model.ort"), reason: "user 1234's group may change it")
    ) { try file() }
  }

  @Test func `a folder without a manifest is used as it is`() throws {
    try FileManager.default.removeItem(at: folder.file("manifest.json"))
    try Data("other weights".utf8).write(to: folder.file("model.ort"))
    let installed = try InstalledFolder(path)
    #expect(installed.manifest == nil)
    #expect(installed.has("model.ort") && !installed.has("other.ort"))
    #expect(try file() == path.appending("model.ort"))
    try installed.verify()
    #expect(throws: ONNXError.fileMissing(path: path.appending("other.ort"))) {
      try file("other.ort")
    }
    #expect(mkfifo(folder.file("other.ort").path, 0o644) == 0)
    #expect(
      throws: ONNXError.fileDamaged(
        path: path.appending("other.ort"), reason: "it is not a regular file")
    ) { try file("other.ort") }
  }

  @Test(.timeLimit(.minutes(5)), arguments: ["pipe", "/dev/zero"])
  func `a manifest that is endless or not a regular file is reported as damage`(kind: String) throws
  {
    let manifest = folder.file("manifest.json")
    try FileManager.default.removeItem(at: manifest)
    if kind == "pipe" {
      #expect(mkfifo(manifest.path, 0o644) == 0)
    } else {
      // A sparse file of zeros, longer than any manifest.
      #expect(FileManager.default.createFile(atPath: manifest.path, contents: nil))
      #expect(truncate(manifest.path, 1 << 40) == 0)
    }
    #expect {
      try file()
    } throws: { error in
      guard case .fileDamaged(let path, _) = error as? ONNXError else { return false }
      return path.name == "manifest.json"
    }
  }

  @Test func `a date in the far future is valid`() throws {
    var times = [timespec](repeating: timespec(tv_sec: 9_300_000_000, tv_nsec: 0), count: 2)
    #expect(utimensat(AT_FDCWD, folder.file("model.ort").path, &times, 0) == 0)
    #expect(try file() == path.appending("model.ort"))
  }

  @Test func `a component in the installation folder must have a manifest`() throws {
    let root = folder.file("syrinx")
    let component = root.appending(path: "moonshine-base-en")
    try FileManager.default.createDirectory(at: component, withIntermediateDirectories: true)
    let environment = ["XDG_DATA_HOME": folder.url.path]
    let manifest = FilePath(component).appending("manifest.json")
    #expect(throws: ONNXError.fileMissing(path: manifest)) {
      try InstalledFolder(FilePath(component), environment: environment)
    }
    #expect(try InstalledFolder(FilePath(component), environment: [:]).manifest == nil)
  }

  @Test(arguments: [
    "", "{", "[]", #"{"component": "a", "version": "1"}"#,
    #"{"component": "a", "version": "1", "files": [{"name": "../a", "bytes": 1, "sha256": ""}]}"#,
  ])
  func `the error for a damaged manifest contains the manifest's name`(text: String) throws {
    try Data(text.utf8).write(to: folder.file("manifest.json"))
    #expect {
      try file()
    } throws: { error in
      guard case .fileDamaged(let path, _) = error as? ONNXError else { return false }
      return path.name == "manifest.json"
    }
  }

  @Test func `a file that is not in the manifest is an error`() throws {
    try Data("other".utf8).write(to: folder.file("other.ort"))
    #expect {
      try file("other.ort")
    } throws: { "\($0)".contains("manifest.json is damaged: it does not list other.ort") }
  }

  @Test func `components are installed below XDG_DATA_HOME, or else below the home folder`() throws
  {
    let data = ["XDG_DATA_HOME": "/data", "HOME": "/nowhere"]
    #expect(InstalledFolder.root(environment: data) == "/data/syrinx")
    let relative = ["XDG_DATA_HOME": "data", "HOME": "/nowhere"]
    #expect(InstalledFolder.root(environment: relative) == "/nowhere/.local/share/syrinx")
    let registered = FilePath.registeredHome?.appending(".local/share/syrinx")
    #expect(InstalledFolder.root(environment: [:]) == registered)
    #expect(InstalledFolder.root(environment: ["HOME": ""]) == registered)
    for name in ["moonshine-b", "moonshine-a", "silero", ".moonshine-c"] {
      try FileManager.default.createDirectory(
        at: folder.file("syrinx/\(name)"), withIntermediateDirectories: true)
    }
    let found = InstalledFolder.installed(
      named: "moonshine-", environment: ["XDG_DATA_HOME": folder.url.path])
    #expect(found.map(\.name) == ["moonshine-a", "moonshine-b"])
  }

  @Test func `components in another installation folder are found`() throws {
    try FileManager.default.createDirectory(
      at: folder.file("b/syrinx/moonshine-a"), withIntermediateDirectories: true)
    let shared = "relative:\(folder.file("a").path):\(folder.file("b").path)"
    let used = FilePath(folder.file("b")).appending("syrinx")
    let home = FilePath(folder.file("home"))
    func other(_ name: String, home: FilePath?, data: String? = nil) -> FilePath? {
      var environment = ["HOME": "/root", "XDG_DATA_DIRS": shared]
      environment["XDG_DATA_HOME"] = data
      return InstalledFolder.otherRoot(
        having: name, environment: environment, registeredHome: home)
    }
    #expect(other("moonshine", home: home) == used)
    #expect(other("parrot", home: home) == nil)
    #expect(other("moonshine", home: home, data: folder.file("b").path) == nil)
    // If HOME was changed, the home folder of the password database is also searched.
    try FileManager.default.createDirectory(
      at: folder.file("home/.local/share/syrinx/moonshine-a"), withIntermediateDirectories: true)
    let own = home.appending(".local/share/syrinx")
    #expect(other("moonshine", home: home, data: "/nowhere") == own)
    #expect(other("moonshine", home: home, data: home.appending(".local/share").text) == used)
    // If only XDG_DATA_HOME was changed, the user chose the folder, so no other folder is searched.
    let chosen = ["HOME": home.text, "XDG_DATA_HOME": "/nowhere", "XDG_DATA_DIRS": "/nowhere"]
    #expect(
      InstalledFolder.otherRoot(having: "moonshine", environment: chosen, registeredHome: home)
        == nil)
  }
}
