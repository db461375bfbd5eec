import AudioCore
import Foundation
import SoundFile
import SpeechEngine
import TestTools

/// Returns the samples of a sound file in the directory `Samples`.
func samples(of name: String) throws -> [Float] {
  let url = Checkout.file("Samples/sounds/\(name)")
  return try SoundFileReader(url: url).read(atMost: 1_000_000).samples
}

extension SpeechEngineSession {
  /// Recognizes an utterance in steps of 0.1 s; returns the hypothesis after each step and at the
  /// end.
  func recognizeInSteps(_ samples: [Float]) throws -> (
    partials: [[String]], final: SpeechHypothesis
  ) {
    var partials: [[String]] = []
    try beginUtterance()
    for begin in stride(from: 0, to: samples.count, by: 1600) {
      try process(Array(samples[begin..<min(begin + 1600, samples.count)]))
      partials.append(try hypothesis.words.map(\.text))
    }
    return (partials, try finishUtterance())
  }
}
