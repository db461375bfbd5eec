import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

/// Sounds with a changing spectrum, like speech, but with a steady pitch.
@Suite(.ownThread, .serialized) struct MusicTests {
  private static let engine = SpeechEngine.pocketSphinx()
  private static let melody = [0, 2, 4, 5, 7, 7, 9, 9, 7, 5, 4, 2]
  private static let chords = [[0, 4, 7], [-3, 0, 4], [5, 9, 12], [-5, -1, 2]]

  private static let sounds = [
    NonSpeech("a melody", seed: 1) { time, _ in
      let note = melody[Int(time / 0.3) % melody.count]
      return 0.15 * struck(note, after: time.truncatingRemainder(dividingBy: 0.3))
    },
    NonSpeech("chords and a drum", seed: 2) { time, random in
      let (beat, after) = (Int(time / 0.4), time.truncatingRemainder(dividingBy: 0.4))
      let chord = chords[beat % chords.count].reduce(0) { $0 + struck($1 - 12, after: after) }
      return 0.07 * chord + 0.05 * random.normal() * exp(-60 * after)
    },
    NonSpeech("a telephone that rings", seed: 5) { time, _ in
      guard time.truncatingRemainder(dividingBy: 1.8) < 1.2 else { return 0 }
      let isOn = sin(2 * .pi * 20 * time) > 0
      return isOn ? 0.12 * (sin(2 * .pi * 440 * time) + sin(2 * .pi * 480 * time)) : 0
    },
  ]

  /// Returns the sample, after `time` seconds, of a struck note `note` semitones above 261.6 Hz.
  private static func struck(_ note: Int, after time: Double) -> Double {
    let pitch = 261.6 * exp2(Double(note) / 12)
    let partials = [1, 0.5, 0.3, 0.2, 0.1].enumerated().reduce(0) { sum, partial in
      sum + partial.element * sin(2 * .pi * pitch * Double(partial.offset + 1) * time)
    }
    return partials * min(1, time / 0.01) * exp(-3 * time)
  }

  @Test(arguments: sounds, [nil, NonSpeech.grammar])
  func `music and ringing have no words, neither in partial nor in final results`(
    sound: NonSpeech, grammar: String?
  ) throws {
    try sound.expectNoWords(seconds: 4, grammar: grammar, from: Self.engine)
  }

  @Test(arguments: sounds)
  func `speech over music and ringing is recognized`(sound: NonSpeech) throws {
    let said = try samples(of: "go-forward.wav")
    let music = sound.samples(seconds: 6)
    let both = said.enumerated().map { $0.element + 0.03 * music[$0.offset + 4_800] }
    let session = try Self.engine.makeSession(SpeechSessionOptions())
    let recognized = try session.recognizeInSteps(both).final.words.map(\.text)
    #expect(Set(recognized).isSuperset(of: ["ten", "meters"]), "\(recognized)")
  }

  @Test(arguments: sounds)
  func `speech after music and ringing is recognized`(sound: NonSpeech) throws {
    let said = try samples(of: "go-forward.wav")
    let session = try Self.engine.makeSession(SpeechSessionOptions())
    let recognized = try session.recognizeInSteps(sound.samples(seconds: 2) + said).final.words.map(
      \.text)
    #expect(Set(recognized).isSuperset(of: ["ten", "meters"]), "\(recognized)")
  }
}
