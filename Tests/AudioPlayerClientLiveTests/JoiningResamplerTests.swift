import AudioCore
import Foundation
import Testing

@testable import AudioPlayerClientLive

@Suite struct JoiningResamplerTests {
  private let sine = AudioSignal { frame, rate in
    Float(sin(2 * Double.pi * (Double(frame) * 441 / Double(rate.hertz) + 0.21)))
  }

  /// What comes out where frames are given so many at a time.
  private func converted(
    _ count: Int, from rate: SampleRate, to target: AudioFormat, channels: Int = 1, step: Int
  ) throws -> [Float] {
    let format = AudioFormat(sampleRate: rate, channelCount: channels)
    var resampler = try JoiningResampler(from: format, to: target)
    var samples: [Float] = []
    for start in stride(from: 0, to: count, by: step) {
      let piece = sine.buffer(
        FrameCount(min(step, count - start)), format: format, firstFrame: FrameCount(start))
      samples += try resampler.process(piece)
    }
    return try samples + resampler.finish()
  }

  @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (16_000, 48_000), (22_050, 48_000)])
  func `a sine that is cut anywhere keeps its height up to its first and last frame`(
    rate: Int, target: Int
  ) throws {
    let format = AudioFormat(sampleRate: SampleRate(hertz: target), channelCount: 2)
    let count = rate / 4 + 7
    let samples = try converted(
      count, from: SampleRate(hertz: rate), to: format, channels: 2, step: 300)
    let expected = FrameCount(count).converted(
      from: SampleRate(hertz: rate), to: format.sampleRate)
    #expect(samples.count == expected.rawValue * 2)
    let reference = sine.buffer(expected, format: format).samples
    let errors = zip(samples, reference).map { abs($0 - $1) }
    #expect(errors.max() ?? 1 < 1.2e-2, "\(errors.max() ?? 1)")
  }

  @Test func `equal rates pass through untouched`() throws {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let samples = try converted(1_000, from: 48_000, to: format, step: 77)
    #expect(samples == sine.buffer(1_000, format: format).samples)
  }

  @Test(arguments: [1, 100, 589]) func `what is too short to be turned round keeps its length`(
    count: Int
  ) throws {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let samples = try converted(count, from: 44_100, to: format, step: 50)
    let expected = FrameCount(count).converted(from: 44_100, to: 48_000)
    #expect(samples.count == expected.rawValue)
  }

  @Test func `so do rates that have nothing in common`() throws {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    #expect(try converted(4_000, from: 44_101, to: format, step: 1_000).count == 4_354)
  }
}
