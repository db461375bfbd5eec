/// How an utterance was spoken, in the words of Apple's Speech framework.
public struct SpeechRecognitionMetadata: Hashable, Sendable {
  /// The shortest silence between two words that counts as a pause.
  public static let shortestPause = Duration.milliseconds(50)

  /// Words per minute, from the first to the end of the last; 0 if they take no time.
  public var speakingRate: Double

  /// The average length of the pauses between the words; zero if there is none.
  public var averagePauseDuration: Duration

  /// When the first word begins, from the beginning of the audio (frame 0 of its buffers).
  public var speechStartTimestamp: Duration

  /// How long it is from there to the end of the last word.
  public var speechDuration: Duration

  /// Metadata from its parts.
  public init(
    speakingRate: Double, averagePauseDuration: Duration, speechStartTimestamp: Duration,
    speechDuration: Duration
  ) {
    self.speakingRate = speakingRate
    self.averagePauseDuration = averagePauseDuration
    self.speechStartTimestamp = speechStartTimestamp
    self.speechDuration = speechDuration
  }

  /// Metadata from the times of the words; nil if there are no words.
  public init?(_ transcription: Transcription) {
    let segments = transcription.segments
    guard let first = segments.first, let last = segments.last else { return nil }
    speechStartTimestamp = first.timestamp
    speechDuration = last.end - first.timestamp
    let words = segments.reduce(0) { $0 + $1.substring.split(separator: " ").count }
    speakingRate = speechDuration > .zero ? Double(words) * (.seconds(60) / speechDuration) : 0
    let pauses = zip(segments, segments.dropFirst())
      .map { $1.timestamp - $0.end }
      .filter { $0 >= Self.shortestPause }
    averagePauseDuration =
      pauses.isEmpty ? .zero : pauses.reduce(.zero, +) / pauses.count
  }
}

extension TranscriptionSegment {
  fileprivate var end: Duration { timestamp + duration }
}
