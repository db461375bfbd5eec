import AudioCore
import SpeechEngine

/// A session that recognizes utterances with libvosk.
final class VoskSession: SpeechEngineSession {
  /// The recognizer of the current utterance.
  ///
  /// Every utterance gets a new recognizer, because a recognizer adapts to earlier utterances.
  private var recognizer: VoskRecognizer
  private let makeRecognizer: () throws(SpeechEngineError) -> VoskRecognizer
  private var hasRecognized = false
  private let sentences: SentenceFilter
  private let wantsPartialHypotheses: Bool
  private let alternativeCount: Int
  private let interruption = InterruptionFlag()
  private var assembly = UtteranceAssembly()
  /// The number of samples per call to libvosk.
  private static let step = 1_600

  init(model: VoskModel, options: SpeechSessionOptions) throws(SpeechEngineError) {
    sentences = try SentenceFilter(options, model: model)
    wantsPartialHypotheses = options.wantsPartialHypotheses
    alternativeCount = options.alternativeCount
    let json = sentences.json
    makeRecognizer = { () throws(SpeechEngineError) in
      try VoskRecognizer(
        model: model, phrases: json,
        hypothesisCount: options.alternativeCount > 0 ? options.alternativeCount + 1 : 0,
        partialWords: options.keyPhrases.contains { $0.threshold != nil })
    }
    recognizer = try makeRecognizer()
  }

  var hypothesis: SpeechHypothesis {
    var hypothesis = SpeechHypothesis(words: sentences.beginning(of: assembly.words))
    hypothesis.hasEstimatedTimes = assembly.hasEstimatedTimes
    return hypothesis
  }

  /// Interrupts the session.
  ///
  /// `process` stops within a tenth of a second. If libvosk is computing the result of a segment,
  /// that call is abandoned and finishes on its own thread.
  var interrupt: @Sendable () -> Void { { [interruption] in interruption.interrupt() } }

  func beginUtterance() throws(SpeechEngineError) {
    try interruption.check()
    if hasRecognized { recognizer = try makeRecognizer() }
    hasRecognized = true
    assembly = UtteranceAssembly()
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    for begin in stride(from: 0, to: samples.count, by: Self.step) {
      try interruption.check()
      try accept(Array(samples[begin..<min(begin + Self.step, samples.count)]))
    }
  }

  private func accept(_ samples: [Float]) throws(SpeechEngineError) {
    let hasEndedSegment = try recognizer.accept(samples.inSixteenBits)
    assembly.add(FrameCount(samples.count))
    if hasEndedSegment {
      assembly.endSegment(
        try interruption.runAbandonable(with: recognizer) { recognizer throws(SpeechEngineError) in
          try recognizer.result()
        })
    } else if wantsPartialHypotheses {
      assembly.setPartial(try recognizer.partial())
    }
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    // If the session is interrupted, this call is abandoned, because it takes 0.5 s for 20 s of
    // speech.
    assembly.endSegment(
      try interruption.runAbandonable(with: recognizer) { recognizer throws(SpeechEngineError) in
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

/// A recognizer of libvosk and its model.
///
/// It is a class, so that the thread of a running call can keep it after the session was
/// interrupted. Thread safety: one thread at a time.
final class VoskRecognizer {
  // The model is kept for its functions; libvosk's recognizer has its own reference to the C model.
  private let model: VoskModel
  private let handle: OpaquePointer

  /// - Parameters:
  ///   - model: the loaded model.
  ///   - phrases: the allowed phrases as JSON; nil for dictation.
  ///   - hypothesisCount: the maximum number of hypotheses of a segment; 0 for the best hypothesis
  ///     with confidences.
  ///   - partialWords: whether partial results have timestamps and confidences, which delays them
  ///     by more than a second.
  init(
    model: VoskModel, phrases: String?, hypothesisCount: Int, partialWords: Bool
  ) throws(SpeechEngineError) {
    self.model = model
    handle = try model.makeRecognizer(phrases: phrases)
    let functions = model.library.functions
    functions.setWords?(handle, 1)
    functions.setPartialWords?(handle, partialWords ? 1 : 0)
    if hypothesisCount > 0 {
      functions.setMaxAlternatives?(handle, Int32(clamping: hypothesisCount))
    }
    // Delays libvosk's own endpoints as far as possible, because the client finds utterances.
    if let setDelays = functions.setEndpointerDelays {
      setDelays(handle, 60, 60, 120)
    } else {
      functions.setEndpointerMode?(handle, 3)
    }
  }

  deinit {
    model.library.functions.freeRecognizer(handle)
  }

  /// Adds samples; returns true when the segment is complete and its result can be fetched.
  ///
  /// The corresponding C function is `vosk_recognizer_accept_waveform_s`.
  func accept(_ samples: [Int16]) throws(SpeechEngineError) -> Bool {
    // `samples.count` is the array's own length, so libvosk reads only within the array.
    let code = model.library.functions.accept(handle, samples, Int32(clamping: samples.count))
    guard code >= 0 else { throw .failed(reason: "libvosk cannot process the audio (\(code))") }
    return code != 0
  }

  /// Returns the hypothesis of the current segment.
  func partial() throws(SpeechEngineError) -> VoskResult.Hypothesis {
    let answer = try VoskResult(model.library.functions.partialResult(handle))
    guard let hypothesis = answer.partialHypothesis else {
      throw .failed(reason: "libvosk's partial result has no text")
    }
    return hypothesis
  }

  /// Returns the hypotheses of the ended segment.
  func result() throws(SpeechEngineError) -> [VoskResult.Hypothesis] {
    try hypotheses(model.library.functions.result(handle))
  }

  /// Ends the segment here and returns its hypotheses.
  func finalResult() throws(SpeechEngineError) -> [VoskResult.Hypothesis] {
    try hypotheses(model.library.functions.finalResult(handle))
  }

  private func hypotheses(
    _ text: UnsafePointer<CChar>?
  ) throws(SpeechEngineError) -> [VoskResult.Hypothesis] {
    guard let hypotheses = try VoskResult(text).hypotheses else {
      throw .failed(reason: "libvosk's result has no text")
    }
    return hypotheses
  }
}
