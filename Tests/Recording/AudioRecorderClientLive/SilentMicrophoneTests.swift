import AudioCore
import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct SilentMicrophoneTests {
  /// Warns after a second below −60 dBFS.
  private let rule = LevelRule(threshold: Decibels(-60), hold: .seconds(1))

  /// Returns the steps with a warning; each step is half a second with the given amplitude.
  private func warnings(_ amplitudes: [Float]) -> [Int] {
    var microphone = SilentMicrophone(rule, rate: 16_000)
    return amplitudes.indices.filter { index in
      let samples = Array(repeating: amplitudes[index], count: 8_000)
      return microphone.process(AudioBuffer(format: .speech, samples: samples)) != nil
    }
  }

  @Test func `a silent microphone is reported once, if there was no sound since the beginning`() {
    #expect(warnings([0, 0, 0, 0]) == [1])
    #expect(warnings([0, 0.1, 0, 0, 0, 0]).isEmpty)
    #expect(warnings([0, 0, 0.1, 0, 0, 0]) == [1])
  }

  @Test func `the report of a silent microphone contains the peak level`() {
    var microphone = SilentMicrophone(rule, rate: 16_000)
    let samples = Array(repeating: Float(-0.0001), count: 16_000)
    let level = microphone.process(AudioBuffer(format: .speech, samples: samples))
    #expect(level.map { $0.value.rounded() } == -80)
  }

  @Test
  func `a frame at the threshold counts as loud, so the microphone is not reported as silent`() {
    var microphone = SilentMicrophone(rule, rate: 16_000)
    var samples = [Float](repeating: 0, count: 16_000)
    samples[0] = 0.001
    #expect(microphone.process(AudioBuffer(format: .speech, samples: samples)) == nil)
    #expect(microphone.process(AudioBuffer(silence: 32_000, format: .speech)) == nil)
  }
}
