import AudioCore
import SpeechEngine

/// A recognizer of libvosk at work on one stream.
final class VoskSession: SpeechEngineSession {
  private let recognizer: VoskRecognizer
  private let sentences: AllowedSentences
  private let wantsPartialHypotheses: Bool
  private let alternativeCount: Int
  private let interruption = InterruptionFlag()
  private var assembly = UtteranceAssembly()
  /// How many samples libvosk hears at a time.
  private static let step = 1_600

  init(model: VoskModel, options: SpeechSessionOptions) throws(SpeechEngineError) {
    sentences = try AllowedSentences(options, model: model)
    wantsPartialHypotheses = options.wantsPartialHypotheses
    alternativeCount = options.alternativeCount
    recognizer = try VoskRecognizer(
      model: model,
      settings: .init(
        phrases: sentences.json,
        readingCount: options.alternativeCount > 0 ? options.alternativeCount + 1 : 0,
        partialWords: options.keyPhrases.contains { $0.threshold != nil }))
  }

  var hypothesis: SpeechHypothesis {
    var hypothesis = SpeechHypothesis(words: sentences.beginning(of: assembly.words))
    hypothesis.hasEstimatedTimes = assembly.hasEstimatedTimes
    return hypothesis
  }

  /// Ends a call between two tenths of a second of audio, and leaves the end of a search to its own
  /// thread.
  var interrupt: @Sendable () -> Void { { [interruption] in interruption.interrupt() } }

  func beginUtterance() throws(SpeechEngineError) {
    try interruption.check()
    assembly.begin()
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    for begin in stride(from: 0, to: samples.count, by: Self.step) {
      try interruption.check()
      try accept(Array(samples[begin..<min(begin + Self.step, samples.count)]))
    }
  }

  private func accept(_ samples: [Float]) throws(SpeechEngineError) {
    let progress = try recognizer.accept(samples.inSixteenBits)
    assembly.add(FrameCount(samples.count))
    if progress == .stretchEnded {
      assembly.endStretch(
        try interruption.leaving(recognizer) { recognizer throws(SpeechEngineError) in
          try recognizer.result()
        })
    } else if wantsPartialHypotheses {
      assembly.show(try recognizer.partial())
    }
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    // It takes 0.5 s for 20 s of speech.
    assembly.endStretch(
      try interruption.leaving(recognizer) { recognizer throws(SpeechEngineError) in
        try recognizer.finalResult()
      })
    let alternatives = assembly.alternatives.compactMap(sentences.whole)
    let words = sentences.whole(assembly.words) ?? []
    var hypothesis = SpeechHypothesis(
      words: words,
      alternatives: Array(
        alternatives.filter { $0 != words && !$0.isEmpty }.prefix(alternativeCount)))
    hypothesis.hasEstimatedTimes = assembly.hasEstimatedTimes
    return hypothesis
  }
}
