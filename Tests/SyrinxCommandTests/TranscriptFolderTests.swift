import ArgumentParser
import Foundation
import SpeechClient
import Testing

@testable import SyrinxCommand

struct TranscriptFolderTests {
  @Test
  func `a transcript is named after its file and its format`() {
    let folder = TranscriptFolder(path: "out", style: .cues(.vtt))
    #expect(folder.name(for: "a/talk.old.wav") == "talk.old.vtt")
    #expect(folder.name(for: "-") == "stdin.vtt")
    #expect(TranscriptFolder(path: "out", style: .json).name(for: "talk") == "talk.jsonl")
  }

  @Test
  func `two files with one name are refused before either is written`() throws {
    let folder = TranscriptFolder(path: "out", style: .text)
    try folder.check(["a.wav", "b.wav", "-"])
    #expect(throws: ValidationError.self) { try folder.check(["a/talk.wav", "b/talk.flac"]) }
  }

  @Test
  func `a transcript has its name when it is complete, and is gone where it is not`() async throws {
    let folder = try TestFolder()
    let path = folder.file("talk.txt").path
    func begin() async throws -> TranscriptFile {
      let file = try TranscriptFile(path: path)
      try await file.print("one")
      return file
    }
    let file = try await begin()
    #expect(!FileManager.default.fileExists(atPath: path))
    try await file.complete()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\n")
    #expect(!FileManager.default.fileExists(atPath: path + ".part"))
    let other = try await begin()
    #expect(FileManager.default.fileExists(atPath: path + ".part"))
    await other.discard()
    #expect(!FileManager.default.fileExists(atPath: path + ".part"))
    // What was complete before is still there.
    await file.discard()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\n")
  }

  @Test
  func `of a transcript that cannot have its name nothing is left`() async throws {
    let folder = try TestFolder()
    let path = folder.file("talk.txt").path
    let file = try TranscriptFile(path: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    await #expect(throws: CommandFailure.self) { try await file.complete() }
    #expect(!FileManager.default.fileExists(atPath: path + ".part"))
  }

  @Test
  func `a folder that cannot be written is named`() async throws {
    #expect(throws: CommandFailure.self) { try TranscriptFile(path: "/nowhere/talk.txt") }
    #expect(throws: CommandFailure.self) {
      try TranscriptFolder(path: "/dev/null/out", style: .text).make()
    }
  }
}
