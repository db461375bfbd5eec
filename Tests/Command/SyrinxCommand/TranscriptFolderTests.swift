import ArgumentParser
import FilePaths
import Foundation
import SoundFile
import SpeechClient
import TestTools
import Testing

@testable import SyrinxCommand

struct TranscriptFolderTests {
  @Test
  func `a transcript is named after its file and its format`() {
    let folder = TranscriptFolder(path: "out", styles: [.cues(.vtt)])
    let old = TranscriptionInput(file: "x/a/talk.old.wav", place: "a/talk.old.wav")
    #expect(folder.file(for: old, .cues(.vtt)) == "out/a/talk.old.vtt")
    let bare = TranscriptionInput(file: "x.y/talk", place: "x.y/talk")
    #expect(folder.file(for: bare, .json) == "out/x.y/talk.jsonl")
  }

  @Test
  func `two files with the same transcript name are refused before either is written`() throws {
    let folder = TranscriptFolder(path: "out", styles: [.text])
    try folder.check(["a.wav", "b.wav", "-"])
    #expect(throws: ValidationError.self) { try folder.check(["a/talk.wav", "b/talk.flac"]) }
    #expect(throws: ValidationError.self) { try folder.check(["-", "stdin.wav"]) }
  }

  @Test
  func `a complete transcript is moved to its final path, and an incomplete one is removed`()
    async throws
  {
    let folder = try TestFolder()
    let path = folder.file("talk.txt").path
    func begin() async throws -> PendingOutput {
      let file = try PendingOutput(path: path)
      try await file.print("one")
      return file
    }
    let (file, second) = (try await begin(), try await begin())
    #expect(try folder.names.isEmpty)
    try await file.complete()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\n")
    // Two runs that write the same transcript have separate temporary files. The second run
    // replaces the transcript of the first run.
    try await second.print("two")
    try await second.complete()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo\n")
    let other = try await begin()
    await other.discard()
    await #expect(throws: OutputError.self) { try await other.print("two") }
    // Discarding a completed transcript has no effect.
    await file.discard()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo\n")
    #expect(try folder.names == ["talk.txt"])
  }

  /// In a folder that all users can write to, another user could create a link with a name that is
  /// easy to guess.
  @Test
  func `writing a transcript replaces a link instead of following it`() async throws {
    let folder = try TestFolder()
    let theirs = folder.file("theirs")
    for name in ["talk.txt", "talk.txt.part"] {
      try FileManager.default.createSymbolicLink(
        at: folder.file(name), withDestinationURL: theirs)
    }
    try Data("theirs".utf8).write(to: theirs)
    let file = try PendingOutput(path: folder.file("talk.txt").path)
    try await file.print("one")
    try await file.complete()
    #expect(try String(contentsOf: theirs, encoding: .utf8) == "theirs")
    #expect(try String(contentsOf: folder.file("talk.txt"), encoding: .utf8) == "one\n")
  }

  @Test
  func `a transcript has the permissions of the file that it replaces`() async throws {
    let folder = try TestFolder()
    let path = folder.file("talk.txt").path
    try Data("old".utf8).write(to: folder.file("talk.txt"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let file = try PendingOutput(path: path)
    try await file.print("one")
    try await file.complete()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\n")
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test
  func `a transcript that cannot be moved to its final path leaves no file`() async throws {
    let folder = try TestFolder()
    let path = folder.file("talk.txt").path
    let file = try PendingOutput(path: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    await #expect(throws: SoundFileError.self) { try await file.complete() }
    #expect(try folder.names == ["talk.txt"])
  }

  @Test
  func `an unwritable transcript folder is an error`() async throws {
    #expect(throws: SoundFileError.self) { try PendingOutput(path: "/nowhere/talk.txt") }
    await #expect(throws: CommandFailure.self) { try await makeFolder("/dev/null/out") }
  }
}
