import ArgumentParser
import AudioPlayerClient
import Testing

@testable import SyrinxCommand

struct ChecksTests {
  @Test(arguments: [nil, 0, 0.5, 1])
  func `a value in its range is accepted`(value: Double?) throws {
    try check("--volume", value, in: 0...1, "a factor")
  }

  @Test(arguments: [-0.001, 1.001, .nan, .infinity, -.infinity])
  func `the error for a value out of range contains the value and the range`(value: Double) {
    let error = #expect(throws: ValidationError.self) {
      try check("--volume", value, in: 0...1, "a factor")
    }
    #expect(
      error?.message == "--volume \(value) is out of range; give a factor from 0.0 to 1.0.")
  }
}

struct ByteSizeTests {
  @Test(arguments: [("1", 1), ("10000", 10_000), ("20k", 20_000), ("3M", 3_000_000)])
  func `a size is a number of bytes, with k, M, or G for thousands, millions, or billions`(
    argument: String, bytes: Int
  ) throws {
    #expect(try Int.byteCount(argument) == bytes)
    #expect(try Int.byteCount("4G") == 4_000_000_000)
  }

  @Test(arguments: [
    "", "k", "0", "-1", "1.5M", "1K", "10 k", "9999999999999999999", "99999999999G",
  ])
  func `an invalid size is rejected`(argument: String) {
    #expect(throws: ValidationError.self) { try Int.byteCount(argument) }
  }
}

struct ChannelListTests {
  @Test
  func `the channel numbers of --pick-channels start at 1`() throws {
    #expect(try channelIndices("1") == [0])
    #expect(try channelIndices("3,1,1") == [2, 0, 0])
  }

  @Test(arguments: [
    "", ",", "1,", "0", "-1", "1;2", "1 2", "65", "one", "\(Int.min)", "\(Int.max)",
  ])
  func `an invalid list of channels is rejected`(argument: String) {
    #expect(throws: ValidationError.self) { try channelIndices(argument) }
  }
}

struct PlaybackRepetitionTests {
  @Test
  func `a loop count is a number from 1 to a million, or forever`() {
    #expect(PlaybackRepetition(argument: "1") == .times(1))
    #expect(PlaybackRepetition(argument: "1000000") == .times(1_000_000))
    #expect(PlaybackRepetition(argument: "forever") == .forever)
  }

  @Test(arguments: ["0", "-1", "1000001", "1.5", "", "Forever", "99999999999999999999"])
  func `an invalid loop count is rejected`(argument: String) {
    #expect(PlaybackRepetition(argument: argument) == nil)
  }

  @Test(arguments: ["1", "12", "forever"])
  func `the help shows a loop count in the form that the option accepts`(argument: String) {
    #expect(PlaybackRepetition(argument: argument)?.defaultValueDescription == argument)
  }
}

struct TimeOptionTests {
  private static let options = [
    "record a.wav --seconds", "record a.wav --start-at-sound --pre-roll",
    "record a.wav --stop-after-silence", "record a.wav --trim-silence --hold",
    "record a.wav --roll-seconds", "record a.wav --wait", "play a.wav --start", "play a.wav --end",
    "play a.wav --fade-in", "play a.wav --fade-out", "play a.wav --wait",
    "transcribe a.wav --end-silence", "transcribe a.wav --longest-utterance",
    "transcribe a.wav --tail-padding", "listen --end-silence", "serve --idle-timeout",
    "measure -d hw:0 --seconds", "convert a.wav b.wav --start", "convert a.wav b.wav --end",
    "convert a.wav b.wav --fade-in", "convert a.wav b.wav --every",
  ]

  @Test(arguments: TimeOptionTests.options, ["9", "9.5", "0:09", "9500ms", "9s", "0.15m"])
  func `all options for a time accept the same forms`(option: String, time: String) throws {
    let words = "\(option) \(time)".split(separator: " ").map(String.init)
    #expect(throws: Never.self) { try RootCommand.parsed(words) }
  }

  @Test(arguments: TimeOptionTests.options) func `an invalid time is rejected with an example`(
    option: String
  ) throws {
    let words = "\(option) soon".split(separator: " ").map(String.init)
    let error = #expect(throws: (any Error).self) { try RootCommand.parsed(words) }
    #expect(RootCommand.fullMessage(for: try #require(error)).contains("soon"))
  }

  @Test func `times in minutes and milliseconds are converted to seconds`() throws {
    let play = try #require(
      try RootCommand.parsed(["play", "a.wav", "--start", "1:30", "--end", "2m"]) as? PlayCommand)
    #expect(play.part.start == 90 && play.part.end == 120)
    let record = try #require(
      try RootCommand.parsed(["record", "a.wav", "--seconds", "1500ms"]) as? RecordCommand)
    #expect(record.seconds == 1.5)
  }

  @Test(arguments: [("0.5", 0.5), ("50%", 0.5), ("-6dB", 0.501187), ("0db", 1), ("150%", 1.5)])
  func `a volume can be a factor, a percentage, or a gain`(text: String, factor: Double) throws {
    let words = ["play", "a.wav", "--volume", text]
    let play = try #require(try RootCommand.parsed(words) as? PlayCommand)
    #expect(abs(play.volume - factor) < 1e-6)
  }

  @Test(arguments: ["loud", "50 %x", "1001%", "21dB", "-1", "nan%"])
  func `an invalid volume is rejected`(text: String) {
    let words = ["play", "a.wav", "--volume", text]
    #expect(throws: (any Error).self) { try RootCommand.parsed(words) }
  }
}
