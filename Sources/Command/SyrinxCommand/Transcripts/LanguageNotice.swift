import AudioCore
import ClientDependencies
import SpeechClient
import SpeechEngine

/// Notices that an input is probably in another language than the model: its words are improbable.
struct LanguageNotice {
  /// The least speech to judge by.
  private static let leastSpeech = Duration.seconds(10)

  private let engine: SpeechEngine
  private var speech = Duration.zero
  private var confidences: [Double] = []
  private var isReported = false

  init(engine: SpeechEngine) {
    self.engine = engine
  }

  /// The mean below which the words of 10 seconds are doubtful.
  ///
  /// Measured on English: Moonshine's mean is 0.71 and more, and PocketSphinx's 0.44 and more. On
  /// other languages, PocketSphinx's is 0.37 to 0.45.
  private var leastConfidence: Double {
    engine.name == EngineName.pocketsphinx.rawValue ? 0.4 : 0.5
  }

  /// The text of the notice if it is due after this result; at most once for each input.
  mutating func text(after result: SpeechRecognitionResult) -> String? {
    guard !isReported, result.isFinal else { return nil }
    let words = result.bestTranscription.segments
    guard let first = words.first, let last = words.last else { return nil }
    speech += last.timestamp + last.duration - first.timestamp
    confidences += words.compactMap(\.confidence)
    guard speech >= Self.leastSpeech, !confidences.isEmpty else { return nil }
    let mean = confidences.reduce(0, +) / Double(confidences.count)
    (speech, confidences) = (.zero, [])
    guard mean < leastConfidence else { return nil }
    isReported = true
    return """
      many words are probably wrong, with a mean confidence of \(mean.rounded(toParts: 100)): the audio is \
      probably not \(language), or it is unclear; `syrinx engines` lists the models
      """
  }

  private var language: String {
    guard let tag = engine.availability().model?.language, tag != LanguageTag.unknown else {
      return "in the model's language"
    }
    let name = LanguageTag.understands("en", available: tag) ? "English" : "in \(tag)"
    return "\(name), the model's language"
  }
}

extension SpeechOptions {
  /// Makes the notice for one input; nil if the options limit what may be said.
  func makeLanguageNotice() -> LanguageNotice? {
    isPlainDictation ? LanguageNotice(engine: chosenEngine) : nil
  }
}
