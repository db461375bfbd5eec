/// The words of an utterance.
public struct Transcription: Hashable, Sendable {
  /// The words in order.
  public var segments: [TranscriptionSegment]

  /// Whether the words' timestamps and durations are estimated from the words' lengths, because the
  /// engine does not measure them; they are in order and within the utterance all the same.
  public var hasEstimatedTimes: Bool

  /// A transcription from its words.
  public init(segments: [TranscriptionSegment], hasEstimatedTimes: Bool = false) {
    self.segments = segments
    self.hasEstimatedTimes = hasEstimatedTimes
  }

  /// The words as one text, with spaces between them if their script has spaces.
  ///
  /// There is no space beside a letter or a mark of Chinese or Japanese, except next to a Korean
  /// word, and none between two letters of Thai, Lao, Khmer, or Burmese.
  public var formattedString: String { segments.map(\.substring).joinedAsWritten }
}

/// A word with its timestamp and duration.
public struct TranscriptionSegment: Hashable, Sendable {
  /// The word.
  public var substring: String

  /// When it begins, from the beginning of the audio (frame 0 of its buffers).
  public var timestamp: Duration

  /// Its duration.
  public var duration: Duration

  /// The engine's confidence, 0…1; nil in partial results, and if the engine has none.
  public var confidence: Double?

  /// The words of the result's alternatives in its place, the likeliest first.
  ///
  /// Each is different from the word and from the others.
  public var alternativeSubstrings: [String]

  /// A word from its parts.
  public init(
    substring: String, timestamp: Duration, duration: Duration, confidence: Double? = nil,
    alternativeSubstrings: [String] = []
  ) {
    self.substring = substring
    self.timestamp = timestamp
    self.duration = duration
    self.confidence = confidence
    self.alternativeSubstrings = alternativeSubstrings
  }
}
