import AudioCore
import Foundation
import SpeechEngine
import Testing

@testable import PocketSphinxEngine

/// Sounds that everybody's microphone hears, of which PocketSphinx would make words and commands.
@Suite(.serialized) struct SteadySoundTests {
  private static let engine = SpeechEngine.pocketSphinx()
  private static let grammar = """
    #JSGF V1.0;
    grammar commands;
    public <command> = go forward | stop | turn left | four | two;
    """

  /// The sounds by the second, full scale being 1.
  private static let sounds: [(String, @Sendable (Double, inout SeededNumbers) -> Double)] = [
    ("a burst of noise", { _, random in random.normal() * 0.09 }),
    ("a tone", { time, _ in 0.18 * sin(2 * .pi * 440 * time) }),
    (
      "a tone that swells and fades",
      { time, _ in 0.18 * sin(2 * .pi * 180 * time) * (0.5 + 0.5 * sin(2 * .pi * 4 * time)) }
    ),
    (
      "a hum",
      { time, _ in
        (1..<12).reduce(0) { $0 + 0.06 / Double($1) * sin(2 * .pi * 120 * Double($1) * time) }
      }
    ),
    ("a fan", { _, random in random.normal() * 0.045 }),
    (
      "beeps",
      { time, _ in
        time.truncatingRemainder(dividingBy: 0.7) < 0.3 ? 0.24 * sin(2 * .pi * 1000 * time) : 0
      }
    ),
    (
      "two tones in turn",
      { time, _ in
        0.18 * sin(2 * .pi * (Int(time * 4).isMultiple(of: 2) ? 440 : 587) * time)
      }
    ),
  ]

  /// A third of a second of quiet, two seconds of a sound, half a second of quiet.
  private func samples(_ index: Int) -> [Float] {
    var random = SeededNumbers(seed: UInt64(index + 1))
    return (0..<45_000).map { frame in
      let time = Double(frame) / 16_000 - 0.3
      let sound = (0..<2).contains(time) ? Self.sounds[index].1(time, &random) : 0
      return Float(sound + random.normal() * 0.0003)
    }
  }

  @Test(arguments: sounds.indices, [nil, grammar])
  func `a steady sound is no word, neither at once nor in the end`(
    index: Int, grammar: String?
  ) throws {
    let session = try Self.engine.makeSession(SpeechSessionOptions(grammar: grammar))
    let (partials, final) = try session.hear(samples(index))
    #expect(final.words.map(\.text) == [], "\(Self.sounds[index].0)")
    #expect(partials.filter { !$0.isEmpty } == [], "\(Self.sounds[index].0)")
  }

  @Test(arguments: [nil, "#JSGF V1.0; grammar a; public <a> = go | forward | ten | meters;"])
  func `a word that is said alone is heard`(grammar: String?) throws {
    let said = try PocketSphinxEngineTests.samples(of: "go-forward.wav")
    let words = try Self.engine.makeSession(SpeechSessionOptions()).hear(said).final.words
    try #require(words.map(\.text) == ["go", "forward", "ten", "meters"])
    for word in words {
      let quiet = said.prefix(4000)
      let alone =
        quiet + said[word.frames.lowerBound.rawValue..<word.frames.upperBound.rawValue] + quiet
      let session = try Self.engine.makeSession(SpeechSessionOptions(grammar: grammar))
      let heard = try session.hear(Array(alone)).final.words
      #expect(!heard.isEmpty, "\(word)")
    }
  }

  @Test func `speech before a long noise is heard`() throws {
    var random = SeededNumbers(seed: 3)
    let noise = (0..<160_000).map { _ in Float(random.normal() * 0.02) }
    let said = try PocketSphinxEngineTests.samples(of: "go-forward.wav")
    let session = try Self.engine.makeSession(SpeechSessionOptions())
    let heard = try session.hear(said + noise).final.words.map(\.text)
    #expect(heard.starts(with: ["go", "forward", "ten", "meters"]), "\(heard)")
  }
}
