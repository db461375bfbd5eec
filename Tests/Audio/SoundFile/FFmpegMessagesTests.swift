import Testing

@testable import SoundFile

@Suite struct FFmpegMessagesTests {
  private static let address = "http://a.example/radio"
  private static let mark = "[http @ 0x55] [verbose] Metadata update for StreamTitle: "

  /// Returns the state after FFmpeg has printed these lines, which arrive byte by byte.
  private func messages(_ lines: String...) -> FFmpegMessages {
    messages(bytes: Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  private func messages(bytes: [UInt8]) -> FFmpegMessages {
    var messages = FFmpegMessages()
    for byte in bytes { messages.add([byte], name: Self.address) }
    return messages
  }

  @Test func `the newest nonempty title is the title of a live stream`() {
    #expect(messages("[info]   Duration: 00:00:01.00").title == nil)
    let lines = [Self.mark + "One", Self.mark + "Two: [x] it's", Self.mark]
    #expect(messages(lines[0], lines[1], lines[2]).title == "Two: [x] it's")
  }

  @Test func `a title that is not UTF-8 is decoded as Latin-1`() {
    let messages = messages(bytes: Array(Self.mark.utf8) + [0x42, 0xF6, 0x73, 0x65, 0x0A])
    #expect(messages.title == "Böse")
  }

  @Test(arguments: [
    "[info]     icy-name        : Radio", "[info]   Duration: N/A, start: 0.025057", mark + "One",
  ])
  func `a live stream's lost connection counts as a loss, and its decoding errors do not`(
    line: String
  ) {
    let error = "[mp3float @ 0x55] [error] Header missing"
    #expect(messages(error).isCutOff && !messages(line, error).isCutOff)
    for end in [
      "[error] \(Self.address): Connection reset by peer",
      "[in#0 @ 0x55] [error] Error during demuxing: Connection timed out",
    ] {
      #expect(messages(end).isCutOff && messages(line, end).isCutOff)
    }
  }

  @Test(arguments: ["[info]     icy-name        : Radio", "[info]   Duration: N/A, start: 0.0"])
  func `receiving less than the server announced counts as a loss`(line: String) {
    let end = "[http @ 0x55] [error] Stream ends prematurely at 99376, should be 198753"
    #expect(messages(line, end).isCutOff)
    var messages = messages(line)
    for _ in 0..<5_000 { messages.add(Array("[error] z\n".utf8), name: Self.address) }
    #expect(!messages.isCutOff)
    messages.add(Array((end + "\n").utf8), name: Self.address)
    #expect(messages.isCutOff)
  }

  @Test func `the end of a web file without an announced size does not count as a loss`() {
    let end = "[http @ 0x55] [error] Stream ends prematurely at 24666, should be "
    let failure = "[error] \(Self.address): Input/output error"
    #expect(!messages(end + "18446744073709551615", failure).isCutOff)
    let newer = "[in#0 @ 0x55] [error] Error during demuxing: Input/output error"
    #expect(!messages(end + "18446744073709551615", newer).isCutOff && messages(newer).isCutOff)
    #expect(messages(end + "48936", failure).isCutOff)
    #expect(messages(failure).isCutOff)
  }

  @Test
  func `FFmpeg's informational messages are ignored, and at most 1,000 other messages are kept`() {
    #expect(messages("[info] Output #0, wav", "[verbose] x", "[warning] y").complaints.count == 1)
    var messages = FFmpegMessages()
    for _ in 0..<5_000 { messages.add(Array("[error] z\n".utf8), name: Self.address) }
    #expect(messages.complaints.count == 1_000)
  }
}
