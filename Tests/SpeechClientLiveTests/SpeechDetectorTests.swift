import AudioCore
import Testing

@testable import SpeechClientLive

@Suite struct SpeechDetectorTests {
  private func judgements(
    _ detector: inout SpeechDetector, amplitude: Float, frames: Int, inUtterance: Bool = false,
    offset: Float = 0
  ) -> [Bool] {
    (0..<frames).map { index in
      let noise = AudioSignal.noise(seed: UInt64(index), amplitude: amplitude)
      let samples = noise.buffer(SpeechDetector.frameLength, format: .speech).samples
      return detector.isSpeech(samples.map { $0 + offset }[...], inUtterance: inUtterance)
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
    // A part of a low voice's period.
    let voice = AudioSignal.sine(30, amplitude: 0.3)
    let samples = voice.buffer(.milliseconds(100), format: .speech).samples
    for begin in stride(from: 0, to: samples.count, by: 160) {
      _ = detector.isSpeech(samples[begin..<begin + 160], inUtterance: false)
    }
    let quiet = judgements(&detector, amplitude: 0.001, frames: 20, inUtterance: true, offset: 0.01)
    #expect(quiet.dropFirst().allSatisfy { !$0 })
  }

  @Test func `a sound that goes on becomes the background after two seconds`() {
    var detector = SpeechDetector()
    _ = judgements(&detector, amplitude: 0.005, frames: 50)
    #expect(judgements(&detector, amplitude: 0.1, frames: 250).suffix(20).allSatisfy { !$0 })
  }

  @Test func `silence and dither are no speech`() {
    var detector = SpeechDetector()
    #expect(judgements(&detector, amplitude: 0, frames: 50).allSatisfy { !$0 })
    #expect(judgements(&detector, amplitude: 0.000_1, frames: 50).allSatisfy { !$0 })
  }

  @Test func `within an utterance a quieter sound is still speech`() {
    // 8 dB above the background: too little to begin, enough to go on.
    var (outside, inside) = (SpeechDetector(), SpeechDetector())
    _ = judgements(&outside, amplitude: 0.01, frames: 50)
    _ = judgements(&inside, amplitude: 0.01, frames: 50)
    #expect(judgements(&outside, amplitude: 0.023, frames: 20).allSatisfy { !$0 })
    #expect(judgements(&inside, amplitude: 0.023, frames: 20, inUtterance: true).allSatisfy { $0 })
  }
}
