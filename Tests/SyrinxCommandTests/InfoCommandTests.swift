import ArgumentParser
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct InfoCommandTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: ["--jobs 1", "--jobs 2", "--jobs 2 --json"])
  func `files that share a thread are described in order, and each problem is reported`(
    options: String
  ) async throws {
    try folder.tone("tone.wav", .milliseconds(10))
    try folder.truncatedTone("cut.wav", bytes: 16_000)
    try Data("some text".utf8).write(to: folder.file("text.wav"))
    let outcome = try await BuiltCommand.shell(
      """
      for i in {100..299}; do
        case $i in *3) file=cut;; *7) file=text;; *) file=tone;; esac
        ln $file.wav $i.wav
      done
      exec 2>&1; syrinx info \(options) [0-9]*.wav
      """, in: folder)
    #expect(outcome.status == 1)
    let shown = outcome.output.matches(of: #/(?m)^(file |\{|syrinx: ).*?(\d{3})\.wav/#)
    let expected = (100...299).flatMap { number in
      switch number % 10 {
      case 3: ["\(number)", "syrinx: \(number)"]
      case 7: ["syrinx: \(number)"]
      default: ["\(number)"]
      }
    }
    #expect(
      shown.map { ($0.output.1 == "syrinx: " ? "syrinx: " : "") + $0.output.2 } == expected)
  }

  @Test func `a format with one encoding is named once`() async throws {
    let outcome = try await BuiltCommand.shell(
      "sox -n -r 44100 tone.mp3 synth 0.1 sine && syrinx info tone.mp3", in: folder)
    #expect(outcome.outputLines.contains("format     MPEG audio"))
  }

  @Test func `a pipe among many files does not keep another one waiting`() async throws {
    try folder.tone("tone.wav", .milliseconds(10))
    let outcome = try await BuiltCommand.shell(
      """
      for i in {100..299}; do ln tone.wav $i.wav; done
      mkfifo first second
      (cat tone.wav > second; cat tone.wav > first) &
      syrinx info --jobs 2 first second [0-9]*.wav
      """, in: folder)
    #expect(outcome.status == 0)
    #expect(outcome.output.matches(of: #/(?m)^file /#).count == 202)
  }

  @Test func `a host that is not ASCII is refused with the remedy`() {
    let error = #expect(throws: (any Error).self) {
      try RootCommand.parsed(["info", "http://b\u{FC}cher.invalid/a.wav"])
    }
    #expect(error.map { RootCommand.message(for: $0) }?.contains("write it in Punycode") == true)
  }
}
