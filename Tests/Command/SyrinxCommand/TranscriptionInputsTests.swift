import AudioThreads
import FilePaths
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

@Suite struct TranscriptionInputsTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `a folder's files come in the order of their names, followed by those of its subfolders`()
    throws
  {
    for name in ["calls/b.wav", "calls/a.flac", "calls/2024/c.mp3", "calls/x.txt", "calls/.d.wav"] {
      try write(name)
    }
    let found = try found([path("calls")])
    #expect(found.map(\.place) == ["a.flac", "b.wav", "2024/c.mp3"])
    #expect(found.map(\.file) == ["calls/a.flac", "calls/b.wav", "calls/2024/c.mp3"].map(path))
  }

  @Test func `files in folders are selected by patterns instead of by sound file extensions`()
    throws
  {
    for name in ["a.wav", "b.dat", "c.dat2"] { try write(name) }
    let found = try found([path("a.wav"), path(".")], patterns: ["*.dat", "[c]*"])
    #expect(found.map(\.place) == ["a.wav", "b.dat", "c.dat2"])
  }

  @Test func `the stop signal ends the wait for a writer if the list is a named pipe`() throws {
    mkfifo(folder.file("pipe").path, 0o600)
    let stopSignal = try WakeUp()
    let inputs = TranscriptionInputs(arguments: [], list: path("pipe"))
    var names = try inputs.makeIterator(stopSignal: stopSignal)
    stopSignal.signal()
    #expect(throws: CancellationError.self) { try names.next() }
  }

  @Test func `a cycle of symbolic links is followed once`() throws {
    try write("calls/a.wav")
    for (link, target) in [
      ("calls/up", folder.file("calls")), ("calls/me", folder.file("calls/up")),
    ] {
      try FileManager.default.createSymbolicLink(
        at: folder.file(link), withDestinationURL: target)
    }
    #expect(try found([path("calls")]).map(\.place) == ["a.wav"])
  }

  @Test func `an unreadable folder is reported as a problem, and the other inputs are still found`()
    throws
  {
    for name in ["calls/1/a.wav", "calls/2/b.wav", "calls/3/c.wav"] { try write(name) }
    var inputs = try TranscriptionInputs(arguments: [path("calls")]).makeIterator()
    #expect(try inputs.next()?.get().place == "1/a.wav")
    try FileManager.default.removeItem(at: folder.file("calls/2"))
    let problem = #expect(throws: TranscriptionProblem.self) { try inputs.next()?.get() }
    #expect(problem?.input.place == "2")
    #expect(problem?.description.hasPrefix("cannot read the folder") == true)
    #expect(try inputs.next()?.get().place == "3/c.wav")
    #expect(try inputs.next() == nil)
  }

  @Test func `a folder without sound files is reported as a problem`() throws {
    try write("calls/readme.txt")
    var inputs = try TranscriptionInputs(arguments: [path("calls")]).makeIterator()
    let problem = #expect(throws: TranscriptionProblem.self) { try inputs.next()?.get() }
    #expect(problem?.description.hasSuffix("calls contains no sound files") == true)
  }

  @Test(arguments: [
    ("a.wav", "a.wav", "a.wav"), ("calls/2024/a.wav", "calls/2024/a.wav", "calls/2024/a.wav"),
    ("calls/./2024/a.wav", "calls/2024/a.wav", "2024/a.wav"),
    ("./2024/a.wav", "./2024/a.wav", "2024/a.wav"), ("/srv/a.wav", "/srv/a.wav", "srv/a.wav"),
    ("../a/../../b.wav", "../a/../../b.wav", "a/b.wav"),
    ("calls/./../b.wav", "calls/../b.wav", "b.wav"), ("-", "./-", "-"),
    ("https://a.example/b/c.mp3", "https://a.example/b/c.mp3", "c.mp3"),
  ])
  func `the output path of a listed file keeps its folders, or only those after /./`(
    name: String, file: String, place: String
  ) throws {
    try Data("\(name)\n".utf8).write(to: folder.file("list"))
    let found = try found([], list: path("list"))
    #expect(found.map(\.file.text) == [file] && found.map(\.place.text) == [place])
  }

  @Test func `the names written to failed.txt yield the same files and output paths again`()
    throws
  {
    for name in ["calls/2024/a.wav", "b.wav", "own/c.wav"] { try write(name) }
    let inputs = try found([path("calls"), path("own/c.wav")])
    #expect(inputs.map(\.place) == ["2024/a.wav", "c.wav"])
    let list = inputs.map { $0.listed.bytes + [0] }.joined()
    try Data(list).write(to: folder.file("list"))
    #expect(try found([], list: path("list"), separator: 0) == inputs)
  }

  @Test func `the names in a list end with NUL, a line feed, or the end of the list`() throws {
    try Data("a\nb.wav\0\0c\u{1}.wav".utf8).write(to: folder.file("list"))
    let found = try found([], list: path("list"), separator: 0)
    #expect(found.map(\.file) == ["a\nb.wav", "c\u{1}.wav"])
    let failure = #expect(throws: CommandFailure.self) {
      try self.found([], list: path("list"))
    }
    #expect(failure?.description.hasSuffix("end with NUL; add --null") == true)
  }

  @Test func `a missing list and a list without separators are errors`() throws {
    #expect(throws: CommandFailure.self) {
      try found([], list: path("none"))
    }
    let failure = #expect(throws: CommandFailure.self) {
      try found([], list: "/dev/zero")
    }
    #expect(
      failure?.description == "/dev/zero is not a list of files: a name in it is longer than 1 MiB")
  }

  private func path(_ name: String) -> FilePath {
    name == "." ? FilePath(folder.url) : FilePath(folder.url).appending(FilePath(name))
  }

  private func found(
    _ arguments: [FilePath], patterns: [FilePath] = [], list: FilePath? = nil, separator: UInt8 = 10
  ) throws -> [TranscriptionInput] {
    let inputs = TranscriptionInputs(
      arguments: arguments, patterns: patterns, list: list, separator: separator)
    var (iterator, found) = (try inputs.makeIterator(), [TranscriptionInput]())
    while let input = try iterator.next() { found.append(try input.get()) }
    return found
  }

  private func write(_ name: String) throws {
    let file = folder.file(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: file)
  }
}
