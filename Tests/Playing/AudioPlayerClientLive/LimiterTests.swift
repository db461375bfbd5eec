import AudioCore
import Testing

@testable import AudioPlayerClientLive

@Suite struct LimiterTests {
  let format = AudioFormat(sampleRate: 8_000, channelCount: 2)

  @Test func `the limiter leaves samples within ±1 unchanged`() {
    let samples = AudioSignal.noise(seed: 7).buffer(8_000, format: format).samples + [1, -1, 0, 1]
    var limiter = Limiter(rate: 8_000)
    let (limited, gain) = limit(samples, &limiter)
    #expect(limited == samples)
    #expect(gain == 1)
  }

  @Test(arguments: [1.000_001, 2, 64, 1e20, 3.4e38] as [Float])
  func `the limiter keeps samples of any level within ±1`(loudest: Float) {
    let samples = AudioSignal.noise(seed: 3).buffer(8_000, format: format).samples
    var limiter = Limiter(rate: 8_000)
    let (limited, gain) = limit(
      samples.map { $0 * loudest } + [loudest, -loudest], &limiter)
    #expect(limited.allSatisfy { abs($0) <= 1 })
    #expect(limited.contains { abs($0) > 0.999 })
    #expect(gain < 1 && gain >= 1 / loudest)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, .signalingNaN])
  func `the limiter silences NaN and infinite samples and does not change neighboring samples`(
    broken: Float
  ) {
    var limiter = Limiter(rate: 8_000)
    let (limited, gain) = limit([0.5, broken, 0.25, -0.25, broken, 1], &limiter)
    #expect(limited == [0.5, 0, 0.25, -0.25, 0, 1])
    #expect(gain == 1)
  }

  @Test func `the channels of a frame get the same gain`() {
    var limiter = Limiter(rate: 8_000)
    let (limited, gain) = limit([2, 0.5, -4, 1, 1, -1], &limiter)
    #expect(limited == [1, 0.25, -1, 0.25, 0.25, -0.25])
    #expect(gain == 0.25)
  }

  @Test func `the limiter holds for 20 ms, recovers in 100 ms, and then changes nothing`() {
    var limiter = Limiter(rate: 8_000)
    let (limited, _) = limit([2, 2] + [Float](repeating: 0.5, count: 2 * 1_200), &limiter)
    let frames = stride(from: 0, to: limited.count, by: 2).map { limited[$0] }
    #expect(frames[1...160].allSatisfy { $0 == 0.25 })
    #expect(frames[161...960] == frames[161...960].sorted()[...])
    #expect(frames[959] < 0.5)
    #expect(frames[960...].allSatisfy { $0 == 0.5 })
    #expect(limiter.gain == 1)
  }

  @Test func `the gain stays constant over the cycles of a loud tone`() {
    var limiter = Limiter(rate: 8_000)
    let tone = AudioSignal.sine(50, amplitude: 4).buffer(.seconds(1), format: format).samples
    let (limited, _) = limit(tone, &limiter)
    // The first cycles are skipped, because the gain falls until the first crest.
    let error = zip(limited, tone).dropFirst(2 * 40).map { abs($0 - $1 / 4) }.max() ?? 1
    #expect(error < 1e-4)
  }

  @Test(arguments: 0..<8)
  func `the limiter creates no step larger than the steps of its input`(seed: UInt64) {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let wander = AudioSignal.noise(seed: seed).buffer(16_000, format: format).samples
    var level: Float = 0
    let samples = wander.map { step in
      level = level * 0.995 + step * 0.2
      return level
    }
    var limiter = Limiter(rate: 8_000)
    let (limited, gain) = limit(samples, &limiter, channels: 1)
    #expect(gain < 1)
    #expect(largestStep(limited) <= largestStep(samples))
  }

  @Test func `nothing is reported while nothing is limited`() {
    var limiter = Limiter(rate: 1_000)
    limiter.note(1, at: 0)
    #expect(limiter.dueReport(at: 5_000, isEnding: true) == nil)
  }

  @Test func `the lowest gain is reported once a second`() {
    var limiter = Limiter(rate: 1_000)
    limiter.note(0.5, at: 300)
    limiter.note(0.25, at: 600)
    limiter.note(0.75, at: 900)
    #expect(limiter.dueReport(at: 1_299, isEnding: false) == nil)
    #expect(limiter.dueReport(at: 1_300, isEnding: false) == 0.25)
    limiter.markReported()
    #expect(limiter.dueReport(at: 9_000, isEnding: false) == nil)
    limiter.note(0.9, at: 9_000)
    #expect(limiter.dueReport(at: 9_999, isEnding: false) == nil)
    #expect(limiter.dueReport(at: 10_000, isEnding: false) == 0.9)
  }

  @Test func `a gain reduction that has not been reported is due as soon as the sound ends`() {
    var limiter = Limiter(rate: 1_000)
    limiter.note(0.5, at: 300)
    #expect(limiter.dueReport(at: 300, isEnding: true) == 0.5)
  }

  @Test func `a gain reduction that could not be reported counts in the next report`() {
    var limiter = Limiter(rate: 1_000)
    limiter.note(0.5, at: 0)
    #expect(limiter.dueReport(at: 1_000, isEnding: false) == 0.5)
    limiter.note(0.25, at: 1_000)
    #expect(limiter.dueReport(at: 2_000, isEnding: false) == 0.25)
  }

  private func largestStep(_ samples: [Float]) -> Float {
    zip(samples.dropFirst(), samples).map { abs($0 - $1) }.max() ?? 0
  }

  private func limit(
    _ samples: [Float], _ limiter: inout Limiter, channels: Int = 2
  ) -> (samples: [Float], gain: Float) {
    var samples = samples
    let gain = samples.withUnsafeMutableBufferPointer { limiter.apply(to: $0, channels: channels) }
    return (samples, gain)
  }
}
