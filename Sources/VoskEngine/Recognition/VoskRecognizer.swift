import SpeechEngine

/// One recognizer of libvosk, and the model that it needs.
///
/// A class, because an interrupted session leaves it to the thread of its last call. Thread safety: one
/// thread at a time.
final class VoskRecognizer {
  /// What libvosk makes of samples.
  enum Progress: Equatable {
    /// It wants more.
    case goesOn
    /// It takes what it has heard for complete: its result has to be fetched.
    case stretchEnded
  }

  /// What a recognizer is asked for.
  struct Settings: Equatable {
    /// The phrases that may be said, as JSON; nil for anything.
    var phrases: String?
    /// How many readings of a stretch there may be; 0 for the best one, with its confidence.
    var readingCount = 0
    /// Whether partial results have each word with its time and confidence, which comes more than a
    /// second behind the text alone.
    var partialWords = false
  }

  // It is never freed before its recognizer, which has a reference of its own in libvosk.
  private let model: VoskModel
  private let handle: OpaquePointer

  init(model: VoskModel, settings: Settings) throws(SpeechEngineError) {
    self.model = model
    handle = try model.makeRecognizer(phrases: settings.phrases)
    let functions = model.library.functions
    functions.setWords?(handle, 1)
    functions.setPartialWords?(handle, settings.partialWords ? 1 : 0)
    if settings.readingCount > 0 {
      functions.setMaxAlternatives?(handle, Int32(clamping: settings.readingCount))
    }
    // What an utterance is, is decided above the engine.
    if let setDelays = functions.setEndpointerDelays {
      setDelays(handle, 60, 60, 120)
    } else {
      functions.setEndpointerMode?(handle, 3)
    }
  }

  deinit {
    model.library.functions.freeRecognizer(handle)
  }

  /// Hears samples; the corresponding C function is `vosk_recognizer_accept_waveform_s`.
  func accept(_ samples: [Int16]) throws(SpeechEngineError) -> Progress {
    // The number of samples is that of the array.
    let code = model.library.functions.accept(handle, samples, Int32(clamping: samples.count))
    guard code >= 0 else { throw .failed(reason: "libvosk could not process the audio (\(code))") }
    return code == 0 ? .goesOn : .stretchEnded
  }

  /// What it takes the stretch for so far.
  func partial() throws(SpeechEngineError) -> VoskAnswer.Reading {
    let answer = try VoskAnswer(model.library.functions.partialResult(handle))
    guard let reading = answer.partialReading else {
      throw .failed(reason: "libvosk's partial result has no text")
    }
    return reading
  }

  /// The readings of the stretch that has ended.
  func result() throws(SpeechEngineError) -> [VoskAnswer.Reading] {
    try readings(model.library.functions.result(handle))
  }

  /// Ends the stretch here and gives its readings; the next samples begin another one.
  func finalResult() throws(SpeechEngineError) -> [VoskAnswer.Reading] {
    try readings(model.library.functions.finalResult(handle))
  }

  private func readings(
    _ text: UnsafePointer<CChar>?
  ) throws(SpeechEngineError) -> [VoskAnswer.Reading] {
    guard let readings = try VoskAnswer(text).readings else {
      throw .failed(reason: "libvosk's result has no text")
    }
    return readings
  }
}
