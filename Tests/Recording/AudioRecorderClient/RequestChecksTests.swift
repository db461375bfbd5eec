import AudioCore
import AudioRecorderClient
import Foundation
import Testing

@Suite struct RequestChecksTests {
  private static let url = URL(fileURLWithPath: "a.wav")

  @Test func `a rule out of range is refused with an error that contains the invalid value`() {
    let rule = LevelRule(threshold: Decibels(-40), hold: .seconds(-1))
    let long = LevelRule(threshold: rule.threshold, hold: .milliseconds(600_500))
    let none = LevelRule(threshold: rule.threshold, hold: .zero)
    let refused: [(RecordingRequest, String)] = [
      (RecordingRequest(url: Self.url, start: .atSound(rule)), "-1.0 s"),
      (RecordingRequest(url: Self.url, endAfterSilence: rule), "-1.0 s"),
      (RecordingRequest(url: Self.url, trim: rule), "-1.0 s"),
      (RecordingRequest(url: Self.url, warnBelow: rule), "-1.0 s"),
      (RecordingRequest(url: Self.url, start: .atSound(long)), "600.5 s"),
      (RecordingRequest(url: Self.url, trim: long), "600.5 s"),
      (RecordingRequest(url: Self.url, endAfterSilence: none), "0.0 s"),
      (RecordingRequest(url: Self.url, preRoll: .seconds(601)), "601.0 s"),
      (RecordingRequest(url: Self.url, preRoll: .seconds(-1)), "-1.0 s"),
      (RecordingRequest(url: Self.url, channels: []), "[]"),
      (RecordingRequest(url: Self.url, rolling: .init(length: .milliseconds(99))), "0.099 s"),
      (RecordingRequest(url: Self.url, rolling: .init(byteCount: 9_999)), "9999"),
    ]
    for (request, value) in refused {
      let error = #expect(throws: AudioRecorderError.self) { try request.check() }
      #expect(error.map { "\($0)".contains(value) } == true)
    }
  }

  @Test(arguments: [[], [-1], [64], Array(repeating: 0, count: 33)])
  func `a channel number that no device has is refused before a device is opened`(channels: [Int]) {
    #expect(throws: AudioRecorderError.self) { try CaptureRequest(channels: channels).check() }
  }

  @Test func `a rule exactly at its limit is accepted`() throws {
    let shortest = LevelRule(threshold: Decibels(-40), hold: .zero)
    let longest = LevelRule(threshold: Decibels(-40), hold: .seconds(600))
    let hours = LevelRule(threshold: Decibels(-40), hold: .seconds(36_000))
    try RecordingRequest(
      url: Self.url, warnBelow: hours, start: .atSound(shortest), endAfterSilence: hours,
      trim: shortest
    ).check()
    try RecordingRequest(
      url: Self.url, start: .atSound(longest), preRoll: .seconds(600), endAfterSilence: longest,
      trim: longest, rolling: .init(length: .milliseconds(100), byteCount: 10_000), channels: [0]
    ).check()
  }
}
