import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

/// A sound other than speech.
struct NonSpeech: Sendable, CustomTestStringConvertible {
  /// Returns the sample at a time in seconds; the second parameter is a source of random numbers.
  typealias Value = @Sendable (Double, inout SeededNumbers) -> Double

  let testDescription: String
  private let seed: UInt64
  private let value: Value

  init(_ name: String, seed: UInt64, _ value: @escaping Value) {
    testDescription = "\(name), seed \(seed)"
    (self.seed, self.value) = (seed, value)
  }

  /// Returns a third of a second of silence, the sound for this many seconds, and half a second of
  /// silence.
  func samples(seconds: Double) -> [Float] {
    var random = SeededNumbers(seed: seed)
    return (0..<Int((seconds + 0.8) * 16_000)).map { frame in
      let time = Double(frame) / 16_000 - 0.3
      let sound = (0..<seconds).contains(time) ? value(time, &random) : 0
      return Float(sound + random.normal() * 0.0003)
    }
  }

  /// Expects no words in this many seconds of the sound, neither in partial nor in final results.
  func expectNoWords(
    seconds: Double, grammar: String?, from engine: SpeechEngine,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let session = try engine.makeSession(SpeechSessionOptions(grammar: grammar))
    let (partials, final) = try session.recognizeInSteps(samples(seconds: seconds))
    #expect(final.words.map(\.text) == [], sourceLocation: sourceLocation)
    #expect(partials.filter { !$0.isEmpty } == [], sourceLocation: sourceLocation)
  }

  /// Typical voice commands.
  static let grammar = """
    #JSGF V1.0;
    grammar commands;
    public <command> = go forward | stop | turn left | four | two;
    """
}
