import ArgumentParser
import AudioCore
import AudioRecorderClient
import FilePaths
import FoundationEssentials
import Testing

@testable import SyrinxCommand

struct RecordingRuleOptionsTests {
  private func request(_ arguments: String...) throws -> RecordingRequest {
    var request = RecordingRequest(url: URL(filePath: "a.wav"))
    try RecordingRuleOptions.parse(arguments).apply(to: &request)
    return request
  }

  @Test
  func `without rule options the request is unchanged`() throws {
    #expect(try request() == RecordingRequest(url: URL(filePath: "a.wav")))
  }

  @Test
  func `--threshold applies to the start, the end, and the trimming of a recording`() throws {
    let request = try request(
      "--start-at-sound", "--pre-roll", "2", "--stop-after-silence", "3", "--trim-silence",
      "--threshold", "-50", "--hold", "0.5")
    let level = Decibels(-50)
    #expect(request.start == .atSound(LevelRule(threshold: level, hold: .milliseconds(500))))
    #expect(request.preRoll == .seconds(2))
    #expect(request.endAfterSilence == LevelRule(threshold: level, hold: .seconds(3)))
    #expect(request.trim == LevelRule(threshold: level, hold: .milliseconds(500)))
  }

  @Test
  func `the sound threshold defaults to -40 dBFS, and the sound duration to 0.1 s`() throws {
    let rule = LevelRule(threshold: Decibels(-40), hold: .milliseconds(100))
    #expect(try request("--start-at-sound").start == .atSound(rule))
    #expect(try request("--trim-silence").trim == rule)
    #expect(try request("--stop-after-silence", "2").endAfterSilence?.threshold == rule.threshold)
  }

  @Test
  func `rolling, channel, and gap options are set in the request`() throws {
    let request = try request(
      "--roll-seconds", "60", "--roll-bytes", "4G", "--pick-channels", "2", "--gaps", "omit")
    #expect(request.rolling == RecordingRollingRule(length: .seconds(60), byteCount: 4_000_000_000))
    #expect(request.channels == [1])
    #expect(request.gaps == .omit)
  }

  @Test(arguments: [
    ["--pre-roll", "1"], ["--threshold", "-50"], ["--hold", "1"],
    ["--stop-after-silence", "1", "--hold", "1"], ["--start-at-sound", "--pre-roll", "601"],
    ["--threshold", "1"],
    ["--hold", "-1"], ["--roll-seconds", "0"], ["--roll-bytes", "9999"], ["--gaps", "louder"],
    ["--pick-channels", "0"], ["--stop-after-silence", "nan"],
  ])
  func `invalid and ineffective rule options are refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try RecordingRuleOptions.parse(arguments) }
  }

  @Test(arguments: [["--json"], ["--roll-seconds", "1"], ["--roll-bytes", "1M"]])
  func `events and splitting require a named file as the destination`(arguments: [String]) throws {
    let options = try RecordingRuleOptions.parse(arguments)
    try options.checkDestination("a.wav")
    #expect(throws: ValidationError.self) { try options.checkDestination("-") }
  }

  @Test(arguments: [
    ["--start-at-sound", "--pre-roll", "1"], ["--stop-after-silence", "1"], ["--trim-silence"],
    ["--gaps", "omit"], ["--gaps", "stop"], ["--pick-channels", "1"],
  ])
  func `rules that select audio are accepted for standard output`(arguments: [String]) throws {
    try RecordingRuleOptions.parse(arguments).checkDestination("-")
  }
}

struct UnsupportedPlaceholderTests {
  @Test(arguments: [
    ("take-%Y.wav", "%Y"), ("a%03d-%H%M.wav", "%H"), ("%-d.wav", "%-d"), ("x%123d.wav", "%123d"),
  ])
  func `a date placeholder in a file name is detected`(name: String, placeholder: Substring) {
    #expect(unsupportedPlaceholder(in: "folder/\(name)") == placeholder)
  }

  @Test(arguments: ["take-%d.wav", "take-%03d.wav", "100%.wav", "100 %", "a.wav", "%Y/a.wav"])
  func `a file name without a date placeholder is accepted`(name: String) {
    #expect(unsupportedPlaceholder(in: name) == nil)
  }

  @Test(arguments: [
    ("take-%02d.wav", "%02d"), ("%d", "%d"), ("take-%Y%m%d.wav", "%Y"), ("a-%F.wav", "%F"),
  ])
  func `a placeholder is refused if no limit begins new files`(
    name: String, placeholder: String
  ) throws {
    let words = ["record", name, "--format", "wav", "-d", "virtual:x.wav"]
    let error = #expect(throws: (any Error).self) { try RootCommand.parsed(words) }
    let message = RootCommand.fullMessage(for: try #require(error))
    let reason = placeholder.hasSuffix("d") ? "needs --roll-seconds" : "is not supported in a name"
    #expect(message.contains("\(placeholder) \(reason)"), "\(message)")
  }

  @Test(arguments: ["50%done.wav", "100%.wav", "%Y/a.wav", "5%Hall.wav"])
  func `a percent sign in the name of a single file is accepted`(name: String) throws {
    let words = ["record", name, "-d", "virtual:x.wav"]
    #expect(throws: Never.self) { try RootCommand.parsed(words) }
  }
}
