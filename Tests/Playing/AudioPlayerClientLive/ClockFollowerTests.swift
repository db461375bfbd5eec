import AudioCore
import AudioPlayerClient
import SoundCard
import TestTools
import Testing

@testable import AudioPlayerClientLive

@Suite struct ClockFollowerTests {
  private let target = Duration.milliseconds(150)

  /// A level in seconds at the arrival of a buffer, and the deviation after it.
  private typealias Step = (level: Double, deviation: Double)

  /// Plays buffers from a clock that is faster by `difference`; returns a step for each.
  ///
  /// Buffers arrive up to `jitter` seconds early or late.
  private func steps(
    _ difference: Double, from level: Double = 0.15, length: Double = 0.02, jitter: Double = 0,
    target: Duration = .milliseconds(150), hours: Double = 0.5
  ) -> [Step] {
    var follower = ClockFollower(target: target)
    var level = level
    var numbers = SeededNumbers(seed: 7)
    return (0..<Int(hours * 3_600 / length)).map { _ in
      let late = jitter == 0 ? 0 : Double.random(in: -jitter...jitter, using: &numbers)
      follower.update(.seconds(level - late), length: .seconds(length))
      level += length / (1 + follower.deviation) - length / (1 + difference)
      return (level, follower.deviation)
    }
  }

  @Test(arguments: [500e-6, -500e-6, 50e-6])
  func `the deviation becomes the difference of the clocks, and the level becomes the target`(
    difference: Double
  ) throws {
    let steps = steps(difference)
    let last = try #require(steps.last)
    #expect(abs(last.deviation - difference) < 1e-6)
    #expect(abs(last.level - 0.15) < 0.5e-3)
    let displacement = steps.map { abs($0.level - 0.15) }.max() ?? 1
    #expect(displacement < 0.015)
  }

  @Test func `an excess of 100 ms is played away without an overshoot above 10 ms`() {
    let steps = steps(0, from: 0.25)
    #expect(steps.map(\.deviation).max() ?? 1 <= ClockFollower.limit)
    #expect(steps.map(\.level).min() ?? 0 > 0.14)
    let isDone = steps.dropFirst(300 * 50).allSatisfy { abs($0.level - 0.15) < 4e-3 }
    #expect(isDone)
  }

  @Test func `the pitch changes by at most 100 ppm per second`() {
    let deviations = [0] + steps(500e-6, from: 0.4).map(\.deviation)
    let changes = zip(deviations, deviations.dropFirst()).map { abs($1 - $0) }
    #expect(changes.max() ?? 1 <= 100e-6 * 0.02 * 1.001)
  }

  @Test(arguments: [(500e-6, 0.02), (0, 0.02), (-500e-6, 0.01)])
  func `the jitter of the buffers hardly moves the level, and there is no limit cycle`(
    difference: Double, length: Double
  ) {
    let steps = steps(difference, length: length, jitter: 0.02, hours: 2)
    let settled = steps.suffix(steps.count / 2)
    let levels = settled.map(\.level)
    let deviations = settled.map { abs($0.deviation - difference) }
    #expect((levels.max() ?? 1) - (levels.min() ?? 0) < 4e-3)
    #expect(deviations.max() ?? 1 < 150e-6)
    let mean = settled.reduce(0) { $0 + $1.deviation } / Double(settled.count)
    #expect(abs(mean - difference) < 2e-6)
  }

  @Test(arguments: [(10, 0.005), (22, 0.005), (1_000, 0.1)])
  func `other targets are kept, too`(milliseconds: Int, length: Double) throws {
    let target = Duration.milliseconds(milliseconds)
    let steps = steps(-500e-6, from: target.inSeconds, length: length, target: target, hours: 2)
    let displacement = steps.map { abs($0.level - target.inSeconds) }.max() ?? 1
    #expect(displacement < max(0.004, target.inSeconds / 8))
    #expect(abs(try #require(steps.last).level - target.inSeconds) < 1e-3)
  }

  @Test(arguments: [
    (nil, 150), (Duration.zero, 75), (.milliseconds(100), 100), (.seconds(5), 1_000),
  ])
  func `the audio to keep is at least three periods and at most a second`(
    prefill: Duration?, milliseconds: Int
  ) {
    let device = PCMConfiguration(
      device: "a", format: AudioFormat(sampleRate: 8_000, channelCount: 1), sampleFormat: .float32,
      period: 200, buffer: 800, patience: .seconds(1))
    let request = PlaybackRequest(source: .buffers([]), prefill: prefill, clock: .source)
    #expect(request.prefill(on: device) == .milliseconds(milliseconds))
  }

  @Test func `after an interruption, the deviation stays and old levels do not count`() {
    var follower = ClockFollower(target: target)
    for _ in 0..<60 { follower.update(.milliseconds(151), length: .seconds(1)) }
    let before = follower.deviation
    follower.update(nil, length: .zero)
    #expect(follower.deviation == before)
    follower.update(.milliseconds(149), length: .seconds(1))
    #expect(before - follower.deviation > 50e-6)
  }
}
