import AudioCore
import AudioPlayerClient
import Foundation
import TestTools
import Testing

@testable import AudioPlayerClientLive

/// Speeds other than 1, with the real SoundTouch.
@Suite(.timeLimit(.minutes(5))) struct SpeedTests {
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 2)

  /// Returns a tone of 440 Hz on the left, and silence on the right.
  private func tone(_ frames: Int) -> [Float] {
    (0..<frames).flatMap { [0.5 * Float(sin(2 * Double.pi * 440 * Double($0) / 48_000)), 0] }
  }

  private func changed(_ samples: [Float], speed: Double, step: Int) throws -> [Float] {
    let tempo = try TempoChanger(speed: speed, format: format)
    var output: [Float] = []
    for start in stride(from: 0, to: samples.count, by: step * 2) {
      output += tempo.process(Array(samples[start..<min(samples.count, start + step * 2)]))
    }
    output += tempo.flush()
    #expect(tempo.outputFrame == output.count / 2)
    return output
  }

  @Test(arguments: [0.25, 0.8, 1.5, 2, 4])
  func `a tone at another speed keeps its pitch and level and has the exact length`(
    speed: Double
  ) throws {
    let frames = 96_007
    let samples = try changed(tone(frames), speed: speed, step: 1_000)
    #expect(samples.count / 2 == Int((Double(frames) / speed).rounded()))
    let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
    let inner = Array(left[4_800..<(left.count - 4_800)])
    let rises = zip(inner, inner.dropFirst()).count { $0 < 0 && $1 >= 0 }
    let hertz = Double(rises) * 48_000 / Double(inner.count)
    #expect(abs(hertz - 440) < 6, "\(hertz)")
    let power = inner.reduce(0) { $0 + $1 * $1 } / Float(inner.count)
    let level = 0.5 * Float(0.5).squareRoot()
    #expect(abs(power.squareRoot() - level) < 0.02)
    // No click: no step is much steeper than the tone itself.
    let steepest: Float = 0.5 * 2 * Float.pi * 440 / 48_000
    #expect(largestStep(inner) < 1.5 * steepest)
    #expect(stride(from: 1, to: samples.count, by: 2).allSatisfy { samples[$0] == 0 })
  }

  @Test func `the output does not depend on the buffer lengths`() throws {
    let samples = tone(20_000)
    #expect(
      try changed(samples, speed: 1.3, step: 77) == changed(samples, speed: 1.3, step: 20_000))
  }

  @Test(arguments: [1, 50, 3_000])
  func `audio shorter than SoundTouch's delay is not lost`(frames: Int) throws {
    #expect(
      try changed(tone(frames), speed: 2, step: frames).count / 2
        == Int((Double(frames) / 2).rounded()))
  }

  @Test func `a missing library is an error that names the package`() {
    let error = #expect(throws: AudioPlayerError.self) {
      _ = try TempoChanger(speed: 2, format: format, library: "libNone.so")
    }
    let text = "\(error!)"
    #expect(text.hasPrefix("the speed cannot be changed: libNone.so: "))
    #expect(text.hasSuffix("; install SoundTouch (Debian's package libsoundtouch1)"))
  }

  @Test
  func `the error for a library without SoundTouch's functions names the missing function`() {
    #expect(
      throws: AudioPlayerError.speedUnavailable(
        reason: "libasound.so.2 has no soundtouch_createInstance; install SoundTouch "
          + "(Debian's package libsoundtouch1)")
    ) {
      _ = try TempoChanger(speed: 2, format: format, library: "libasound.so.2")
    }
  }

  @Test func `more channels than SoundTouch accepts are an error`() {
    #expect(throws: AudioPlayerError.self) {
      _ = try TempoChanger(
        speed: 2, format: AudioFormat(sampleRate: 48_000, channelCount: 32))
    }
  }

  @Test func `at double speed, items last half as long, and progress uses the items' own time`()
    async throws
  {
    let harness = PlayerHarness(sampleRate: 48_000)
    let sine = AudioSignal.sine(300)
    let items = try [(48_000, 44_100), (24_000, 8_000)].map { frames, rate in
      PlaybackItem(
        source: .file(
          try temporaryWAV(
            sine.buffer(
              FrameCount(frames),
              format: AudioFormat(sampleRate: SampleRate(hertz: rate), channelCount: 1)))))
    }
    let length = 48_000.0 / 44_100 + 3
    try await harness.finish(await harness.start(PlaybackRequest(items: items, speed: 2)))
    let finish = try #require(harness.events.compactMap(\.finish).first)
    #expect(abs(finish.played.inSeconds - length / 2) < 0.001)
    let change = try #require(harness.events.compactMap(\.advanced).first)
    #expect(change.item == 1 && change.position == 0)
    #expect(abs(change.played.inSeconds - 48_000.0 / 44_100 / 2) < 0.001)
    let last = try #require(harness.events.compactMap(\.progress).last)
    #expect(abs(last.position.rawValue - 24_000) <= 1)
    let audible = harness.played.lastIndex { abs($0) > 0.01 } ?? 0
    #expect(abs(Double(audible) / 48_000 - length / 2) < 0.01)
  }

  @Test func `a seek at half speed goes to the time of the source`() async throws {
    let harness = PlayerHarness()
    let request = PlaybackRequest(
      source: .buffers([staircase(16_000)]), speed: 0.5, id: "a")
    let playing = await harness.start(request)
    await harness.pass(9)
    try await harness.send("a", .seek(to: .time(.seconds(1))))
    try await harness.finish(playing)
    let place = try #require(harness.events.compactMap(\.sought).first)
    #expect(place.position == 8_000)
    let finish = try #require(harness.events.compactMap(\.finish).first)
    // At half speed, the second half of a 2 s sound takes 2 s.
    #expect(abs((finish.played - place.played).inSeconds - 2) < 0.001)
  }

  @Test(arguments: [0, 0.1, 5, .nan, .infinity])
  func `a speed outside the range is an error`(speed: Double) async {
    let harness = PlayerHarness()
    let request = PlaybackRequest(source: .buffers([staircase(80)]), speed: speed)
    let playing = await harness.start(request)
    let error = await #expect(throws: AudioPlayerError.self) { try await playing.value }
    #expect(error.map { "\($0)" } == "a speed is 0.25 to 4, not \(speed)")
  }
}
