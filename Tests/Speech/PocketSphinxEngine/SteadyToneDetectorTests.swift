import Foundation
import Testing

@testable import PocketSphinxEngine

@Suite struct SteadyTonesTests {
  /// Returns the detector after this many seconds of a sound; `sound` returns the sample at a time.
  private func tones(seconds: Double, _ sound: (Double) -> Double) -> SteadyToneDetector {
    var tones = SteadyToneDetector()
    let samples = (0..<Int(seconds * 16_000)).map { Int16(10_000 * sound(Double($0) / 16_000)) }
    for begin in stride(from: 0, to: samples.count, by: 700) {
      tones.add(Array(samples[begin..<min(begin + 700, samples.count)]))
    }
    return tones
  }

  /// Returns a sample of a buzz with ten partials, whose pitch rises from 120 Hz by `rate` Hz per
  /// second.
  private func buzz(_ time: Double, rising rate: Double = 0) -> Double {
    let turns = 120 * time + rate * time * time / 2
    return (1...10).reduce(0) { $0 + sin(2 * .pi * turns * Double($1)) / 10 }
  }

  @Test func `a steady pitch is not speech, and a moving pitch can be`() {
    #expect(!tones(seconds: 2) { buzz($0) }.canBeSpeech)
    #expect(tones(seconds: 2) { buzz($0, rising: 60) }.canBeSpeech)
  }

  @Test func `a melody is not speech, although its pitch changes from note to note`() {
    let melody = tones(seconds: 3) { time in
      sin(2 * .pi * [262, 294, 330, 349, 392][Int(time / 0.3) % 5] * time)
    }
    #expect(!melody.canBeSpeech)
  }

  @Test func `half a second of moving pitch can be speech, before or after a steady pitch`() {
    #expect(tones(seconds: 4) { buzz($0, rising: $0 < 1 ? 60 : 0) }.canBeSpeech)
    #expect(tones(seconds: 4) { buzz(max(0, $0 - 3), rising: 60) * ($0 < 3 ? 0 : 1) }.canBeSpeech)
  }

  @Test func `quiet speech before a louder sound is recognized`() {
    #expect(tones(seconds: 4) { $0 < 1 ? 0.05 * buzz($0, rising: 60) : buzz($0) }.canBeSpeech)
  }

  @Test func `a moving pitch in the quiet background of a louder sound is ignored`() {
    let beside = tones(seconds: 4) { $0 < 2 ? buzz($0) : 0.05 * buzz($0, rising: 60) }
    #expect(!beside.canBeSpeech)
  }

  @Test func `a sound that is too short is not judged`() {
    #expect(tones(seconds: 0.2) { buzz($0) }.canBeSpeech)
    #expect(!tones(seconds: 0.4) { buzz($0) }.canBeSpeech)
    #expect(tones(seconds: 0.4) { buzz($0, rising: 60) }.canBeSpeech)
    #expect(tones(seconds: 2) { _ in 0 }.canBeSpeech)
  }

  @Test func `the power of a tone is in the band of the tone's frequency`() {
    let samples = (0..<PowerSpectrum.length).map { index in
      Int16(8_000 * sin(2 * .pi * 100 * Double(index) / Double(PowerSpectrum.length)))
    }
    let bands = PowerSpectrum().bands(of: samples[...])
    #expect(bands.count == 1_024)
    #expect(bands.indices.max { bands[$0] < bands[$1] } == 100)
    #expect(abs(sqrt(bands[100]) / (8_000 * 2_048 / 4) - 1) < 0.001)
    #expect(bands[99...101].reduce(0, +) / bands.reduce(0, +) > 0.9999)
  }
}
