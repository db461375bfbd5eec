import AudioCore
import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import SpeechClientLive

@Suite struct PlausibilityTests {
  private func isSpeech(
    _ words: [(String, Range<FrameCount>, Double?)], isVoiced: Bool = false,
    sound: FrameCount = 16_000, hasEstimatedTimes: Bool = false
  ) -> Bool {
    var hypothesis = SpeechHypothesis(
      words: words.map { SpeechHypothesis.Word($0, frames: $1, confidence: $2) })
    hypothesis.hasEstimatedTimes = hasEstimatedTimes
    return Plausibility(isVoiced: isVoiced, sound: sound).isSpeech(hypothesis)
  }

  @Test func `if every word has a low confidence, the words are noise`() {
    #expect(!isSpeech([("thigh", 0..<8000, 0.003), ("c", 8000..<16_000, 0.02)]))
    #expect(isSpeech([("up", 0..<8000, 0.02), ("there", 8000..<16_000, 0.5)]))
    // A word without a confidence is not rejected.
    #expect(isSpeech([("up", 0..<8000, nil)]))
  }

  @Test func `if the detector was certain of speech, even improbable words are accepted`() {
    func isSpeech(_ count: Int, _ probability: Double?, certainty: Double) -> Bool {
      var hypothesis = SpeechHypothesis(
        words: (0..<count).map { _ in .init("eight", frames: 0..<8000, confidence: 0.01) })
      (hypothesis.probability, hypothesis.hasEstimatedTimes) = (probability, true)
      return Plausibility(isVoiced: false, sound: 16_000, certainty: certainty)
        .isSpeech(hypothesis)
    }
    #expect(isSpeech(1, 0.05, certainty: 0.99) && isSpeech(1, nil, certainty: 0.99))
    #expect(!isSpeech(1, 0.05, certainty: 0.7) && !isSpeech(0, 1, certainty: 1))
    // Few words are more likely to be accidental than many, so three are rejected and four
    // accepted.
    #expect(!isSpeech(3, 0.5, certainty: 0.7) && isSpeech(4, 0.5, certainty: 0.7))
    #expect(isSpeech(3, 0.7, certainty: 0.7) && !isSpeech(9, 0.3, certainty: 0.7))
  }

  @Test func `a long improbable text keeps its probable words even if the detector was unsure`() {
    func isSpeech(_ confidences: [Double]) -> Bool {
      var hypothesis = SpeechHypothesis(
        words: confidences.map { .init("go", frames: 0..<8000, confidence: $0) })
      hypothesis.probability = 0.2
      return Plausibility(isVoiced: false, sound: 16_000, certainty: 0.7).isSpeech(hypothesis)
    }
    #expect(isSpeech([0.1, 0.1, 0.1, 0.5]) && !isSpeech([0.1, 0.1, 0.1, 0.3]))
    #expect(!isSpeech([0.1, 0.1, 0.5]))
  }

  @Test func `if the engine reports a text's probability, unusually long words are not rejected`() {
    var hypothesis = SpeechHypothesis(words: [.init("up", frames: 0..<32_000, confidence: 0.9)])
    hypothesis.probability = 0.9
    #expect(Plausibility(isVoiced: false, sound: 32_000, certainty: 0.7).isSpeech(hypothesis))
  }

  @Test func `a short part of a long text is judged like the whole text`() {
    var part = SpeechHypothesis(words: [.init("yes", frames: 0..<8000)])
    part.probability = 0.5
    func isSpeech(_ textLength: Int) -> Bool {
      Plausibility(isVoiced: true, sound: 16_000, certainty: 0.7, textLength: textLength)
        .isSpeech(part)
    }
    #expect(isSpeech(9) && !isSpeech(1))
  }

  @Test func `partial words without a confidence become stable only in a voiced sound`() {
    func maySettle(_ confidence: Double?, isVoiced: Bool) -> Bool {
      let word = SpeechHypothesis.Word("up", frames: 0..<8000, confidence: confidence)
      return Plausibility(isVoiced: isVoiced, sound: 16_000)
        .maySettle(SpeechHypothesis(words: [word]))
    }
    #expect(!maySettle(nil, isVoiced: false) && maySettle(nil, isVoiced: true))
    #expect(maySettle(0.9, isVoiced: false) && !maySettle(0.01, isVoiced: true))
  }

  @Test func `a single word that lasts two seconds or more needs a voiced sound`() {
    #expect(!isSpeech([("up", 0..<32_000, 0.98)]))
    #expect(!isSpeech([("up", 0..<32_000, nil)]))
    #expect(isSpeech([("no", 0..<32_000, 0.98)], isVoiced: true))
    #expect(isSpeech([("no", 0..<32_000, nil)], isVoiced: true))
    #expect(isSpeech([("go", 0..<8000, 1), ("no", 8000..<80_000, 1)], sound: 80_000))
  }

  @Test func `if a long word is unvoiced, a short fragment next to it is also rejected`() {
    let applause: [(String, Range<FrameCount>, Double?)] = [
      ("up", 0..<71_500, 1), ("at", 71_500..<72_500, 0.4),
    ]
    #expect(!isSpeech(applause, sound: 80_000))
    #expect(isSpeech(applause, isVoiced: true, sound: 80_000))
  }

  @Test func `a word with an estimated length is not rejected because of its length`() {
    #expect(isSpeech([("up", 0..<32_000, 0.98)], hasEstimatedTimes: true))
    #expect(isSpeech([("the", 0..<1120, 0.3)], sound: 64_000, hasEstimatedTimes: true))
    #expect(!isSpeech([("thigh", 0..<8000, 0.003)], hasEstimatedTimes: true))
    #expect(!isSpeech([], hasEstimatedTimes: true))
  }

  @Test func `a short word in a long sound is rejected`() {
    #expect(!isSpeech([("the", 0..<1120, 0.3)], isVoiced: true, sound: 64_000))
    #expect(isSpeech([("the", 0..<2600, 0.3)], isVoiced: true, sound: 64_000))
    #expect(!isSpeech([], isVoiced: true))
  }
}

@Suite struct VoicingMeterTests {
  private func isVoiced(_ value: (Double) -> Double) -> Bool {
    var meter = VoicingMeter()
    for begin in stride(from: 0, to: 32_000, by: 1000) {
      meter.add((begin..<(begin + 1000)).map { Float(value(Double($0) / 16_000)) })
    }
    return meter.isVoiced
  }

  @Test(arguments: [90.0, 130, 220, 380])
  func `a drawn-out vowel is voiced`(pitch: Double) {
    // A vowel: harmonics that get weaker with their frequency, and some breath noise.
    var random = SeededNumbers(seed: UInt64(pitch))
    #expect(
      isVoiced { time in
        let voice = (1...12).reduce(0) {
          $0 + sin(2 * .pi * pitch * Double($1) * time) / Double($1)
        }
        return 0.1 * voice + Double.random(in: -0.02...0.02, using: &random)
      })
  }

  @Test(arguments: [Float(0), 0.02, -0.3])
  func `a DC offset makes neither a vowel unvoiced nor noise voiced`(offset: Float) {
    for (signal, isVoice) in [
      (AudioSignal.sine(120, amplitude: 0.1), true), (.noise(seed: 1, amplitude: 0.1), false),
    ] {
      var meter = VoicingMeter()
      meter.add(signal.buffer(.seconds(1), format: .speech).samples.map { $0 + offset })
      #expect(meter.isVoiced == isVoice)
    }
  }

  @Test(arguments: [2 as UInt64])
  func `noise, clicks, and silence are not voiced`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    #expect(!isVoiced { _ in Double.random(in: -0.3...0.3, using: &random) })
    #expect(
      !isVoiced { time in
        let swell = 0.5 + 0.5 * sin(2 * .pi * 4 * time)
        return swell * Double.random(in: -0.3...0.3, using: &random)
      })
    #expect(
      !isVoiced { time in
        time.truncatingRemainder(dividingBy: 0.4) < 0.02
          ? Double.random(in: -0.9...0.9, using: &random) : 0
      })
    #expect(!isVoiced { _ in 0 })
  }
}
