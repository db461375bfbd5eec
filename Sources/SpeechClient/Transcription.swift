/// The words of an utterance.
public struct Transcription: Hashable, Sendable {
  /// The words in order.
  public var segments: [TranscriptionSegment]

  /// A transcription from its words.
  public init(segments: [TranscriptionSegment]) {
    self.segments = segments
  }

  /// The words as one text, with a space between them.
  public var formattedString: String {
    segments.map(\.substring).joined(separator: " ")
  }
}

/// One word, and where in the audio it was heard.
public struct TranscriptionSegment: Hashable, Sendable {
  /// The word.
  public var substring: String

  /// When it begins, from the beginning of the audio (frame 0 of its buffers).
  public var timestamp: Duration

  /// How long it is.
  public var duration: Duration

  /// How sure the engine is, 0…1; nil in partial results, and where the engine cannot say.
  public var confidence: Double?

  /// What the result's other readings have in its place, the likelier first.
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
