import Foundation
import Glibc
import SpeechEngine
import Testing

@testable import PocketSphinxEngine

@Suite struct ModelBytesTests {
  @Test func `numbers are little-endian`() throws {
    var bytes = try ModelBytes([1, 2, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 7])
    #expect(try bytes.word() == 513)
    #expect(try bytes.word() == -1)
    #expect(try bytes.byte() == 255)
    try bytes.skip(1)
    #expect(try bytes.byte() == 7)
    try bytes.requireEnd()
  }

  @Test func `reading or skipping past the end of a file is an error`() throws {
    var bytes = try ModelBytes([1, 2, 3])
    #expect(throws: ModelDamage("it is shorter than its header says")) { try bytes.word() }
    #expect(throws: ModelDamage.self) { try bytes.skip(4) }
    #expect(throws: ModelDamage.self) { try bytes.skip(-1) }
    #expect(throws: ModelDamage.self) { try bytes.skip(.max, 4) }
    #expect(throws: ModelDamage.self) { try bytes.text(upTo: 0) }
    #expect(bytes.position == 0)
  }

  @Test func `a folder and a missing file are unreadable`() {
    for path in ["/tmp", "/nowhere/mdef"] {
      #expect(throws: SpeechEngineError.modelUnreadable(path: path)) { try ModelBytes(path: path) }
    }
  }

  @Test(arguments: [(EMFILE, "ulimit -n"), (ENFILE, "ulimit -n"), (ENOMEM, "ulimit -v")])
  func `running out of descriptors or memory is not reported as an unreadable file`(
    code: Int32, remedy: String
  ) {
    guard case .failed(let reason) = SpeechEngineError.unreadable("mdef", code: code) else {
      Issue.record("the file is blamed")
      return
    }
    #expect(reason.hasPrefix("mdef cannot be read: "))
    #expect(reason.contains(remedy))
    #expect(SpeechEngineError.unreadable("mdef", code: EACCES) == .modelUnreadable(path: "mdef"))
  }

  @Test func `bytes after the expected end are reported as damage`() throws {
    #expect(throws: ModelDamage("it is 3 bytes longer than its header says")) {
      try ModelBytes([1, 2, 3]).requireEnd()
    }
  }
}

extension ModelBytes {
  /// Creates the bytes of a test, in a file without a name.
  init(_ bytes: [UInt8]) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "bytes-\(UUID())")
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try self.init(path: url.path)
  }
}
