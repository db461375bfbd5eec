import AudioCore
import FilePaths
import SpeechClient

/// A result as `--json` tells it; times in seconds from the beginning of the audio.
struct UtteranceRecord: Encodable {
  struct Word: Encodable {
    let word: String
    let start: Double
    let end: Double
    let confidence: Double?
    let alternatives: [String]?
  }

  let event: String
  let file: FilePath?
  let utterance: Int
  let final: Bool
  let text: String
  let stable: String?
  let start: Double?
  let end: Double?
  let estimatedTimes: Bool?
  let words: [Word]
  let alternatives: [String]?
  let wordsPerMinute: Double?
  let averagePause: Double?

  init(_ result: SpeechRecognitionResult, file: FilePath? = nil) {
    let transcription = result.bestTranscription
    let others = result.transcriptions.dropFirst().map(\.formattedString)
    event = result.isFinal ? "final" : "partial"
    self.file = file
    utterance = result.utterance
    final = result.isFinal
    text = transcription.formattedString
    stable = result.isFinal ? nil : result.stablePrefix.formattedString
    estimatedTimes = transcription.hasEstimatedTimes ? true : nil
    words = transcription.segments.map(Word.init)
    start = words.first?.start
    end = words.last?.end
    alternatives = others.isEmpty ? nil : others
    let metadata = result.speechRecognitionMetadata
    wordsPerMinute = metadata.map { ($0.speakingRate * 10).rounded() / 10 }
    averagePause = metadata?.averagePauseDuration.inRecordSeconds
  }

  /// What the help says about it.
  static let schema = """
    With --json each result is an object on a line of its own: "event" (partial or final), "utterance" \
    (counted from 0), "final", "text", "start" and "end" (seconds from the beginning of the audio), and \
    "words", each with "word", "start", "end" and, where the engine is able to tell, "confidence" (0 to 1); \
    with "estimatedTimes" their times are a guess. A partial one has "stable": the beginning of the text \
    of which only case and punctuation may still change. A final one has \
    "wordsPerMinute" and "averagePause" (seconds), and with --alternatives other readings: "alternatives", \
    the likelier first, and with a word those of its place.
    """
}

extension UtteranceRecord.Word {
  init(_ segment: TranscriptionSegment) {
    word = segment.substring
    start = segment.timestamp.inRecordSeconds
    end = (segment.timestamp + segment.duration).inRecordSeconds
    confidence = segment.confidence.map { ($0 * 1_000).rounded() / 1_000 }
    let others = segment.alternativeSubstrings
    alternatives = others.isEmpty ? nil : others
  }
}

/// What `listen` and `transcribe` tell with `--json` of sound that waits or was not understood;
/// times in seconds from the beginning of the audio.
struct LagRecord: Encodable {
  let event: String
  var seconds: Double?
  var start: Double?
  var end: Double?
  var reason: String?
  var error: String?
  var samples: Int?
  var utterance: Int?
  var file: FilePath?

  /// Nil for what is no lag.
  ///
  /// - Parameter utterance: that of which partial results were told, and no final one.
  init?(_ event: SpeechRecognitionEvent, file: FilePath? = nil, utterance: Int? = nil) {
    self.file = file
    switch event {
    case .lagging(let lag):
      self.event = "lagging"
      seconds = lag.inRecordSeconds
    case .dropped(let range, let reason):
      self.event = "dropped"
      (start, end) = (range.lowerBound.inRecordSeconds, range.upperBound.inRecordSeconds)
      switch reason {
      case .engineTooSlow: self.reason = "slow"
      case .engineFailed(let error):
        (self.reason, self.error) = ("engine", "\(error)")
        self.utterance = utterance
      case .gap: self.reason = "gap"
      case .nonFinite(let count): (self.reason, samples) = ("nonFinite", count)
      }
    default: return nil
    }
  }

  /// What the help says about it.
  static let schema = """
    Further objects have "event": lagging with "seconds" (how much sound waits because the engine is too \
    slow, 0 when it has caught up) or dropped with "start", "end" (what was not understood) and "reason": \
    slow (too much waited), gap (the microphone lost it), nonFinite ("samples" were NaN or infinite \
    and are silence) or engine (it failed; "error" says how, and "utterance" of which the partial \
    results were).
    """

  /// The same for files, which neither lag nor have gaps.
  static let droppedSchema = """
    An object with "event": dropped has "start", "end" (what was not understood), "reason": engine (it \
    failed; "error" says how, and "utterance" of which the partial results were) or nonFinite ("samples" \
    were NaN or infinite and are silence).
    """
}
