/// What was understood of one utterance, so far or for good.
public struct SpeechRecognitionResult: Hashable, Sendable {
  /// Which utterance of the task it is about, counted from 0; utterances without words have no
  /// number.
  ///
  /// A number that is left out, after partial results alone, is that of an utterance in which the
  /// engine failed.
  public var utterance: Int

  /// What was said, the likeliest reading first.
  ///
  /// It is one, and in a final result as many more as the request asks for and the engine has.
  public var transcriptions: [Transcription]

  /// Whether this is the utterance's last result; one that is not is replaced by the next.
  public var isFinal: Bool {
    didSet { if isFinal { settledCount = 0 } }
  }

  /// How fast and with which pauses it was said; nil in partial results.
  public var speechRecognitionMetadata: SpeechRecognitionMetadata?

  private var settledCount: Int

  /// A result from its parts.
  ///
  /// - Parameters:
  ///   - alternatives: further readings than the best one, the likelier first.
  ///   - stableSegmentCount: how many words of a partial result are there to stay; all of a final
  ///     one are.
  public init(
    utterance: Int, bestTranscription: Transcription, alternatives: [Transcription] = [],
    isFinal: Bool, stableSegmentCount: Int = 0,
    speechRecognitionMetadata: SpeechRecognitionMetadata? = nil
  ) {
    self.utterance = utterance
    transcriptions = [bestTranscription] + alternatives
    self.isFinal = isFinal
    // A final result says by being one that all of it is.
    settledCount = isFinal ? 0 : stableSegmentCount
    self.speechRecognitionMetadata = speechRecognitionMetadata
  }

  /// What was most likely said.
  public var bestTranscription: Transcription {
    get { transcriptions.first ?? Transcription(segments: []) }
    set { transcriptions = [newValue] + transcriptions.dropFirst() }
  }

  /// How many words of the best transcription, from the first on, are there to stay.
  ///
  /// All later results of the utterance, the final one included, begin with the same words; where
  /// they lie may still move a little. Of a final result it is all words.
  public var stableSegmentCount: Int {
    get {
      let count = bestTranscription.segments.count
      return isFinal ? count : max(0, min(settledCount, count))
    }
    set { settledCount = isFinal ? 0 : newValue }
  }

  /// The words that are there to stay: it grows from result to result and never changes otherwise.
  public var stablePrefix: Transcription {
    Transcription(segments: Array(bestTranscription.segments.prefix(stableSegmentCount)))
  }

  /// The words after them, which the next result may have otherwise; none in a final result.
  public var volatileTail: Transcription {
    Transcription(segments: Array(bestTranscription.segments.dropFirst(stableSegmentCount)))
  }
}
