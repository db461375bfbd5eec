import AudioCore
import Foundation
import SpeechEngine
import Testing
import TestTools

@testable import PocketSphinxEngine

@Suite struct SpectralChangeTests {
  /// Returns the detector after this many frames of 10 ms, given each frame's amplitude and
  /// spectrum.
  private func change(
    frames: Int, _ frame: (Int) -> (amplitude: Int16, spectrum: Float)
  ) -> SpectralChangeDetector {
    var change = SpectralChangeDetector()
    for index in 0..<frames {
      let (amplitude, spectrum) = frame(index)
      change.add(Array(repeating: amplitude, count: Decoder.samplesPerFrame))
      change.add([Float(amplitude), spectrum, 0])
    }
    return change
  }

  /// Returns the value of the 10 ms frame `index`: 0 and `size` in turn, each for 40 ms.
  private func alternating(_ index: Int, by size: Float) -> Float {
    (index / 4).isMultiple(of: 2) ? 0 : size
  }

  @Test
  func `a third of a second of spectral change is detected, even if the sound is steady afterward`()
  {
    #expect(change(frames: 36) { (1000, alternating($0, by: 8)) }.hasChanged)
    #expect(change(frames: 400) { (1000, $0 < 36 ? alternating($0, by: 8) : 0) }.hasChanged)
  }

  @Test func `small spectral changes and changes of level are not speech`() {
    let steady = change(frames: 100) { (1000, alternating($0, by: 2)) }
    #expect(!steady.hasChanged && !steady.canBeSpeech)
    let swelling = change(frames: 100) { (Int16(500 + 4 * $0), 0) }
    #expect(!swelling.canBeSpeech)
  }

  @Test func `a single change of a steady sound is not speech`() {
    #expect(!change(frames: 100) { (1000, $0 < 50 ? 0 : 40) }.canBeSpeech)
  }

  @Test func `spectral change in the quiet background of a louder sound is ignored`() {
    let background = change(frames: 100) {
      $0 < 50 ? (1000, 0) : (100, alternating($0, by: 40))
    }
    #expect(!background.canBeSpeech)
  }

  @Test func `a sound that is too short is not judged`() {
    #expect(SpectralChangeDetector().canBeSpeech)
    #expect(change(frames: 12) { _ in (1000, 0) }.canBeSpeech)
    #expect(!change(frames: 20) { _ in (1000, 0) }.canBeSpeech)
    #expect(change(frames: 20) { (1000, alternating($0, by: 8)) }.canBeSpeech)
  }
}

/// Common sounds that PocketSphinx would recognize as words and commands.
@Suite(.ownThread, .serialized) struct SteadySoundTests {
  private static let engine = SpeechEngine.pocketSphinx()

  private static let sounds = [
    NonSpeech("a burst of noise", seed: 1) { _, random in random.normal() * 0.09 },
    NonSpeech("a tone", seed: 2) { time, _ in 0.18 * sin(2 * .pi * 440 * time) },
    NonSpeech("a tone that swells and fades", seed: 3) { time, _ in
      0.18 * sin(2 * .pi * 180 * time) * (0.5 + 0.5 * sin(2 * .pi * 4 * time))
    },
    NonSpeech("a hum", seed: 4) { time, _ in
      (1..<12).reduce(0) { $0 + 0.06 / Double($1) * sin(2 * .pi * 120 * Double($1) * time) }
    },
    NonSpeech("a fan", seed: 5) { _, random in random.normal() * 0.045 },
    NonSpeech("beeps", seed: 6) { time, _ in
      time.truncatingRemainder(dividingBy: 0.7) < 0.3 ? 0.24 * sin(2 * .pi * 1000 * time) : 0
    },
    NonSpeech("two tones in turn", seed: 7) { time, _ in
      0.18 * sin(2 * .pi * (Int(time * 4).isMultiple(of: 2) ? 440 : 587) * time)
    },
  ]

  @Test(arguments: sounds, [nil, NonSpeech.grammar])
  func `a steady sound has no words, neither in partial nor in final results`(
    sound: NonSpeech, grammar: String?
  ) throws {
    try sound.expectNoWords(seconds: 2, grammar: grammar, from: Self.engine)
  }

  @Test(arguments: [nil, "#JSGF V1.0; grammar a; public <a> = go | forward | ten | meters;"])
  func `a single word is recognized`(grammar: String?) throws {
    let said = try samples(of: "go-forward.wav")
    let words = try Self.engine.makeSession(SpeechSessionOptions()).recognizeInSteps(said).final
      .words
    try #require(words.map(\.text) == ["go", "forward", "ten", "meters"])
    for word in words {
      let quiet = said.prefix(4000)
      let alone =
        quiet + said[word.frames.lowerBound.rawValue..<word.frames.upperBound.rawValue] + quiet
      let session = try Self.engine.makeSession(SpeechSessionOptions(grammar: grammar))
      let recognized = try session.recognizeInSteps(Array(alone)).final.words
      #expect(!recognized.isEmpty, "\(word)")
    }
  }

  @Test(arguments: [3 as UInt64])
  func `speech before a long noise is recognized`(seed: UInt64) throws {
    var random = SeededNumbers(seed: seed)
    let noise = (0..<160_000).map { _ in Float(random.normal() * 0.02) }
    let said = try samples(of: "go-forward.wav")
    let session = try Self.engine.makeSession(SpeechSessionOptions())
    let recognized = try session.recognizeInSteps(said + noise).final.words.map(\.text)
    #expect(recognized.starts(with: ["go", "forward", "ten", "meters"]), "\(recognized)")
  }
}
