import Foundation
import SpeechEngine
import Testing

@testable import PocketSphinxEngine

/// Sounds whose spectrum changes as that of speech does, and whose pitch does not.
@Suite(.serialized) struct MusicTests {
  private static let engine = SpeechEngine.pocketSphinx()
  private static let grammar = """
    #JSGF V1.0;
    grammar commands;
    public <command> = go forward | stop | turn left | four | two;
    """
  private static let melody = [0, 2, 4, 5, 7, 7, 9, 9, 7, 5, 4, 2]
  private static let chords = [[0, 4, 7], [-3, 0, 4], [5, 9, 12], [-5, -1, 2]]

  /// The sounds by the second, full scale being 1.
  private static let sounds: [(String, @Sendable (Double, inout SeededNumbers) -> Double)] = [
    (
      "a melody",
      { time, _ in
        let note = melody[Int(time / 0.3) % melody.count]
        return 0.15 * struck(note, after: time.truncatingRemainder(dividingBy: 0.3))
      }
    ),
    (
      "chords and a drum",
      { time, random in
        let (beat, after) = (Int(time / 0.4), time.truncatingRemainder(dividingBy: 0.4))
        let chord = chords[beat % chords.count].reduce(0) { $0 + struck($1 - 12, after: after) }
        return 0.07 * chord + 0.05 * random.normal() * exp(-60 * after)
      }
    ),
    (
      "a telephone that rings",
      { time, _ in
        guard time.truncatingRemainder(dividingBy: 1.8) < 1.2 else { return 0 }
        let isOn = sin(2 * .pi * 20 * time) > 0
        return isOn ? 0.12 * (sin(2 * .pi * 440 * time) + sin(2 * .pi * 480 * time)) : 0
      }
    ),
  ]

  /// A note that somebody strikes, so many half tones above 261.6 Hz.
  private static func struck(_ note: Int, after time: Double) -> Double {
    let pitch = 261.6 * exp2(Double(note) / 12)
    let partials = [1, 0.5, 0.3, 0.2, 0.1].enumerated().reduce(0) { sum, partial in
      sum + partial.element * sin(2 * .pi * pitch * Double(partial.offset + 1) * time)
    }
    return partials * min(1, time / 0.01) * exp(-3 * time)
  }

  /// A third of a second of quiet, so many seconds of a sound, half a second of quiet.
  private func samples(_ index: Int, seconds: Double = 4) -> [Float] {
    var random = SeededNumbers(seed: UInt64(index + 1))
    return (0..<Int((seconds + 0.8) * 16_000)).map { frame in
      let time = Double(frame) / 16_000 - 0.3
      let sound = (0..<seconds).contains(time) ? Self.sounds[index].1(time, &random) : 0
      return Float(sound + random.normal() * 0.0003)
    }
  }

  @Test(arguments: sounds.indices, [nil, grammar])
  func `music and ringing are no words, neither at once nor in the end`(
    index: Int, grammar: String?
  ) throws {
    let session = try Self.engine.makeSession(SpeechSessionOptions(grammar: grammar))
    let (partials, final) = try session.hear(samples(index))
    #expect(final.words.map(\.text) == [], "\(Self.sounds[index].0)")
    #expect(partials.filter { !$0.isEmpty } == [], "\(Self.sounds[index].0)")
  }

  @Test(arguments: sounds.indices)
  func `whoever speaks while it sounds is heard`(index: Int) throws {
    let said = try PocketSphinxEngineTests.samples(of: "go-forward.wav")
    let music = samples(index, seconds: 6)
    let both = said.enumerated().map { $0.element + 0.03 * music[$0.offset + 4_800] }
    let session = try Self.engine.makeSession(SpeechSessionOptions())
    let heard = try session.hear(both).final.words.map(\.text)
    #expect(Set(heard).isSuperset(of: ["ten", "meters"]), "\(heard)")
  }

  @Test(arguments: sounds.indices)
  func `whoever speaks up after it is heard`(index: Int) throws {
    let said = try PocketSphinxEngineTests.samples(of: "go-forward.wav")
    let session = try Self.engine.makeSession(SpeechSessionOptions())
    let heard = try session.hear(samples(index, seconds: 2) + said).final.words.map(\.text)
    #expect(Set(heard).isSuperset(of: ["ten", "meters"]), "\(heard)")
  }
}
