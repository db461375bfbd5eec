import Foundation
import TestTools
import Testing

@testable import TerminalScreen

/// The programs with a terminal front end, driven by keys.
@MainActor @Suite(.timeLimit(.minutes(5))) struct TerminalSamplesTests {
  private let preview = ["SWIFT_DEPENDENCIES_CONTEXT": "preview"]
  private let restored = "\u{1B}[?25h\u{1B}[?1049l"

  @Test func `VoiceMemos plays, renames, deletes, and records with fake clients`() async throws {
    let program = try TerminalProgram("VoiceMemos", environment: preview)
    let before = program.settings
    try await program.shows("> Shopping list")
    program.press(" ")
    let playing = try await program.shows("=")
    #expect(playing.contains { $0.contains("> Shopping list") && $0.hasSuffix("- 0:03.0") })
    program.press("\u{1B}[B")
    try await program.shows("> Idea for a song")
    program.press("n\u{7F}\u{7F}\u{7F}\u{7F}film")
    try await program.shows("New title: Idea for a film_")
    program.press("\r")
    try await program.shows("> Idea for a film")
    program.press("d")
    try await program.shows("! Delete \"Idea for a film\"?")
    program.press("1")
    try await program.shows("> Shopping list")
    program.press("r")
    try await program.showsRecordedTime()
    program.press(" ")
    let recorded = try await program.shows("> Memo ")
    #expect(recorded.allSatisfy { $0.count <= 80 })
    program.press("q")
    let end = await program.end()
    #expect(end.status == 0 && end.settings == before && end.last == restored)
  }

  @Test func `when a signal ends VoiceMemos, it completes its file and restores the terminal`()
    async throws
  {
    let folder = try TestFolder()
    let program = try TerminalProgram("VoiceMemos", folder.url.path, "virtual")
    let before = program.settings
    try await program.shows("no memos yet")
    program.press("r")
    try await program.showsRecordedTime()
    #expect(program.settings != before)
    program.signal(SIGTERM)
    let end = await program.end()
    #expect(end.status == 0 && end.settings == before && end.last == restored)
    #expect(try folder.names.count == 1)
    let again = try TerminalProgram("VoiceMemos", folder.url.path, "virtual")
    let list = try await again.shows("> Memo ")
    #expect(list.contains { $0.contains("  0:0") })
    again.press("\u{3}")
    #expect(await again.end().status == 0)
  }

  @Test func `without a microphone, VoiceMemos shows an alert`() async throws {
    let folder = try TestFolder()
    let program = try TerminalProgram(
      "VoiceMemos", folder.url.path,
      environment: ["ALSA_CONFIG_PATH": "/dev/null", "PULSE_SERVER": "unix:/nowhere"])
    try await program.shows("no memos yet")
    program.press("r")
    try await program.shows("! The microphone cannot be used")
    program.press("\r")
    try await program.shows("[r] Record")
    program.press("q")
    #expect(await program.end().status == 0)
  }

  @Test func `SpeechToText shows partial results, and stops`() async throws {
    let program = try TerminalProgram("SpeechToText", environment: preview)
    try await program.shows("not listening")
    program.press(" ")
    try await program.shows(" ...")
    program.press(" ")
    let lines = try await program.shows("[space] Listen")
    #expect(lines.first == "Speech to text: not listening")
    #expect(lines.contains { $0.hasPrefix("go") && !$0.hasSuffix("...") })
    program.press("q")
    #expect(await program.end().status == 0)
  }

  @Test func `SpeechToText recognizes a sound file in place of a microphone`() async throws {
    let sounds = Checkout.file("Samples/sounds")
    let program = try TerminalProgram(
      "SpeechToText", sounds.appending(path: "go-forward.wav").path)
    program.press(" ")
    let lines = try await program.shows("[space] Stop")
    let status = try #require(lines.first)
    #expect(status.hasPrefix("Speech to text: ") && !status.hasSuffix("not listening"))
    try await program.shows("\r\ngo forward ten meters\r\n")
    program.press("q")
    #expect(await program.end().status == 0)
  }

  @Test func `without a microphone, SpeechToText shows an alert`() async throws {
    let program = try TerminalProgram(
      "SpeechToText", environment: ["ALSA_CONFIG_PATH": "/dev/null", "PULSE_SERVER": "unix:/no"])
    program.press(" ")
    try await program.shows("[1] Try again")
    program.press("\u{1B}")
    try await program.shows("[space] Listen")
    program.press("q")
    #expect(await program.end().status == 0)
  }

  @Test(arguments: [
    ("a", [Key.character("a")]), ("\u{1B}[A\u{1B}[B", [.up, .down]), ("\u{1B}", [.escape]),
    ("\u{1B}[3~x", [.character("x")]), ("é\r\u{7F}", [.character("é"), .enter, .backspace]),
    ("\u{1}\u{9B}", []), ("\u{3}", [.interrupt]),
  ])
  func `bytes of a terminal become keys`(bytes: String, keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.keys(in: bytes.utf8) == keys)
  }

  @Test func `text cannot control the terminal`() {
    let title = "a\u{1B}[2Jb\u{7}\r\nc"
    #expect(
      TerminalScreen.text(of: [title, ""], width: 80)
        == "\u{1B}[Ha[2Jbc\u{1B}[K\r\n\u{1B}[K\u{1B}[J")
    #expect(TerminalScreen.text(of: [title], width: 2) == "\u{1B}[Ha[\u{1B}[K\u{1B}[J")
  }

  @Test func `lines break at whitespace, and within words that are too long`() {
    #expect("go forward\nten\tmeters".wrapped(to: 10) == ["go forward", "ten meters"])
    #expect("a /very/long/path".wrapped(to: 6) == ["a", "/very/", "long/p", "ath"])
    #expect("ab".wrapped(to: 0) == ["a", "b"])
  }

  @Test func `a character that arrives in pieces is one key`() {
    var decoder = KeyDecoder()
    let keys = "é".utf8.flatMap { decoder.keys(in: [$0]) }
    #expect(keys == [.character("é")])
  }

  @Test(
    arguments: [
      ([[0xE9, 0x71]], [Key.character("q")]), ([[0xFF, 0x03]], [.interrupt]),
      ([[0xE9], [0x71]], [.character("q")]), ([[0x80, 0xC3], [0xA9]], [.character("é")]),
    ] as [([[UInt8]], [Key])])
  func `bytes that are not UTF-8 are skipped, and the next keys work`(
    reads: [[UInt8]], keys: [Key]
  ) {
    var decoder = KeyDecoder()
    let pressed = reads.flatMap { decoder.keys(in: $0) }
    #expect(pressed == keys)
  }
}

extension TerminalProgram {
  /// Waits until the screen shows a recorded duration above zero, which stays on the screen while
  /// the duration grows.
  fileprivate func showsRecordedTime() async throws {
    try await shows("a recorded time") { $0.contains("* 0:") && !$0.contains("* 0:00.0") }
  }
}
