import AudioCore
import Testing

@testable import SpeechClientLive

@Suite struct SpeechDetectorTests {
  /// Judges so many frames of noise, each as soon as it is measured.
  private func judgements(
    _ detector: inout SpeechDetector, amplitude: Float, frames: Int, inUtterance: Bool = false,
    offset: Float = 0
  ) -> [Bool] {
    (0..<frames).map { index in
      let noise = AudioSignal.noise(seed: UInt64(index), amplitude: amplitude)
      let samples = noise.buffer(SpeechDetector.frameLength, format: .speech).samples
      let level = detector.measure(samples.map { $0 + offset }[...])
      return detector.isSpeech(level, inUtterance: inUtterance)
    }
  }

  @Test func `what is loud against the background is speech`() {
    var detector = SpeechDetector()
    #expect(judgements(&detector, amplitude: 0.005, frames: 50).allSatisfy { !$0 })
    #expect(judgements(&detector, amplitude: 0.1, frames: 50).allSatisfy { $0 })
  }

  @Test(arguments: [Float(-0.3), 0.01, 0.1])
  func `an offset of the microphone is no sound, and hides none`(offset: Float) {
    var (plain, shifted) = (SpeechDetector(), SpeechDetector())
    for (amplitude, isSpeech) in [(Float(0.001), false), (0.01, true), (0.001, false), (0.1, true)]
    {
      let expected = judgements(&plain, amplitude: amplitude, frames: 30)
      let found = judgements(&shifted, amplitude: amplitude, frames: 30, offset: offset)
      #expect(found == expected)
      #expect(found.allSatisfy { $0 == isSpeech })
    }
  }

  @Test func `an offset is known after a beginning without sound, and after a loud one`() {
    var detector = SpeechDetector()
    #expect(judgements(&detector, amplitude: 0, frames: 50).allSatisfy { !$0 })
    let found = judgements(&detector, amplitude: 0.000_1, frames: 60, offset: 0.01)
    #expect(found.dropFirst(40).allSatisfy { !$0 })
    detector = SpeechDetector()
    _ = judgements(&detector, amplitude: 0.3, frames: 10)
    let quiet = judgements(&detector, amplitude: 0.001, frames: 50, inUtterance: true, offset: 0.01)
    #expect(quiet.dropFirst().allSatisfy { !$0 })
  }

  @Test func `a sound that goes on becomes the background after six seconds`() {
    var detector = SpeechDetector()
    _ = judgements(&detector, amplitude: 0.005, frames: 600)
    let judgements = judgements(&detector, amplitude: 0.1, frames: 700)
    #expect(judgements.prefix(500).allSatisfy { $0 })
    #expect(judgements.suffix(100).allSatisfy { !$0 })
  }

  @Test func `silence and dither are no speech`() {
    var detector = SpeechDetector()
    #expect(judgements(&detector, amplitude: 0, frames: 50).allSatisfy { !$0 })
    #expect(judgements(&detector, amplitude: 0.000_1, frames: 50).allSatisfy { !$0 })
  }

  @Test func `within an utterance a quieter sound is still speech`() {
    // 4 dB above the background: too little to begin, enough to go on.
    var (outside, inside) = (SpeechDetector(), SpeechDetector())
    func judgements(
      _ detector: inout SpeechDetector, amplitude: Float, frames: Int, inUtterance: Bool = false
    ) -> [Bool] {
      let tone = AudioSignal.sine(400, amplitude: amplitude)
      let frame = tone.buffer(SpeechDetector.frameLength, format: .speech).samples
      return (0..<frames).map { _ in
        let level = detector.measure(frame[...])
        return detector.isSpeech(level, inUtterance: inUtterance)
      }
    }
    _ = judgements(&outside, amplitude: 0.01, frames: 50)
    _ = judgements(&inside, amplitude: 0.01, frames: 50)
    #expect(judgements(&outside, amplitude: 0.016, frames: 20).allSatisfy { !$0 })
    let found = judgements(&inside, amplitude: 0.016, frames: 20, inUtterance: true)
    #expect(found.dropFirst().allSatisfy { $0 })
  }
}
