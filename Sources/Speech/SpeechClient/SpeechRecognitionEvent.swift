/// An event of `recognition`, in the order of the audio.
///
/// Cases may be added: a `switch` over it needs a `default`.
public enum SpeechRecognitionEvent: Hashable, Sendable {
  /// Speech, or a similar sound without words, begins at this time.
  ///
  /// The value is the timestamp of the first sound. All timestamps are measured from the beginning
  /// of the audio.
  case speechStarted(at: Duration)

  /// A partial or final result of an utterance.
  case result(SpeechRecognitionResult)

  /// The utterance ended at this time; the event follows the final result, if there is one.
  case speechEnded(at: Duration)

  /// The audio up to this timestamp is recognized; reported after every five seconds of audio
  /// without speech, for separate channels without speech in any of them.
  case progressed(to: Duration)

  /// The backlog of a live source: recognition lags behind the audio.
  ///
  /// It is reported from one second on, whenever it has changed by a second, and as zero when the
  /// engine has caught up. It is reported even if the engine returns no results.
  case lagging(by: Duration)

  /// This range of the audio was not recognized, for this reason.
  ///
  /// Speech before it is a separate utterance; timestamps continue after it.
  ///
  /// Every utterance has exactly one final result, or is dropped as a whole, because the engine
  /// failed or recognized no plausible words. A dropped utterance ends right after this event. Its
  /// partial results become invalid, and the utterance's number is not reused. In a request for key
  /// phrases, an utterance without a key phrase ends without a result and without this event.
  ///
  /// A gap of at most 50 ms within one format does not end an utterance but counts as silence. Gaps
  /// under a millisecond are reported once they add up to a millisecond; the reported range then
  /// ends with the last of these gaps, and its length is the sum of their lengths.
  case dropped(Range<Duration>, reason: DropReason)
}

extension SpeechRecognitionEvent {
  /// The reason that a range of the audio was not recognized.
  ///
  /// Cases may be added: a `switch` over it needs a `default`.
  public enum DropReason: Hashable, Sendable {
    /// The backlog of a live source exceeded the limit of the request: the engine is too slow.
    case engineTooSlow

    /// The engine failed in this utterance, with this error, but the stream continues.
    ///
    /// The next utterance begins with a new session of the engine. If no later utterance succeeds,
    /// the error also ends the stream.
    case engineFailed(SpeechClientError)

    /// The detector found an utterance, but the engine found no plausible words.
    ///
    /// Most such utterances are noises or music. If the event follows a final result, its range is
    /// a word that was removed from the result: a word too short to be spoken, or an improbable
    /// word in an improbable text. In a joined utterance, the range may also be a sound without
    /// words.
    case unintelligible

    /// Audio is missing: the `firstFrame` of the buffers jumps ahead, because a microphone lost
    /// frames or was disconnected.
    case gap

    /// This number of samples is NaN or infinite; they count as silence, and the audio around them
    /// is recognized.
    ///
    /// For a microphone, the range is the whole buffer that reports the samples. The samples are in
    /// that buffer, or in frames lost immediately before that buffer. For other sources, the range
    /// extends from the first to the last of the samples.
    case nonFinite(sampleCount: Int)

    /// The name of the reason in JSON and in metrics.
    package var name: String {
      switch self {
      case .engineTooSlow: "slow"
      case .engineFailed: "engine"
      case .unintelligible: "unintelligible"
      case .gap: "gap"
      case .nonFinite: "nonFinite"
      }
    }
  }
}

extension SpeechRecognitionEvent {
  /// Returns the events of a stream of results; the events end when the results end.
  ///
  /// Each utterance begins before its first result and ends after its final result. An utterance
  /// without a final result ends before the first result of the next utterance, or at the end of
  /// the results.
  package static func events(
    of results: AsyncThrowingStream<SpeechRecognitionResult, any Error>
  ) -> AsyncThrowingStream<SpeechRecognitionEvent, any Error> {
    // The stream has one consumer, which requests one element at a time, so no variable is used
    // concurrently.
    nonisolated(unsafe) var iterator = results.makeAsyncIterator()
    nonisolated(unsafe) var waiting: [SpeechRecognitionEvent] = []
    nonisolated(unsafe) var utterance: OpenUtterance?
    return AsyncThrowingStream {
      if waiting.isEmpty {
        guard let result = try await iterator.next() else {
          defer { utterance = nil }
          return utterance.map { .speechEnded(at: $0.end) }
        }
        waiting = events(of: result, in: &utterance)
      }
      return waiting.removeFirst()
    }
  }

  /// An utterance without a final result, and the end of its last word.
  private typealias OpenUtterance = (number: Int, end: Duration)

  private static func events(
    of result: SpeechRecognitionResult, in utterance: inout OpenUtterance?
  ) -> [SpeechRecognitionEvent] {
    let segments = result.bestTranscription.segments
    let begin = segments.first?.timestamp ?? .zero
    let end = segments.last.map { $0.timestamp + $0.duration } ?? begin
    var events: [SpeechRecognitionEvent] = []
    if let lost = utterance, lost.number != result.utterance {
      events.append(.speechEnded(at: lost.end))
      utterance = nil
    }
    if utterance == nil { events.append(.speechStarted(at: begin)) }
    utterance = result.isFinal ? nil : (result.utterance, end)
    return events + [.result(result)] + (result.isFinal ? [.speechEnded(at: end)] : [])
  }
}

extension AsyncSequence where Element == SpeechRecognitionResult {
  /// Returns the text of each utterance's final result once the recognition has ended.
  ///
  /// Dropped speech is omitted; the events of `recognition` report it.
  ///
  /// - Parameter actor: the caller's actor, on which the method runs.
  /// - Throws: the errors of the recognition, and `CancellationError` in a canceled task.
  public func finalTranscripts(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws -> [String] {
    try await finalTexts(isolation: actor) { $0 }
  }

  /// Returns the final results as one text once the recognition has ended.
  ///
  /// In all other respects, it behaves like `finalTranscripts`.
  public func text(isolation actor: isolated (any Actor)? = #isolation) async throws -> String {
    try await finalTranscripts(isolation: actor).joinedAsWritten
  }
}

extension AsyncSequence where Element == SpeechRecognitionEvent {
  /// Returns the text of each utterance's final result once the recognition has ended.
  ///
  /// Dropped speech is omitted; the events of `recognition` report it.
  ///
  /// - Parameter actor: the caller's actor, on which the method runs.
  /// - Throws: the errors of the recognition, and `CancellationError` in a canceled task.
  public func finalTranscripts(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws -> [String] {
    try await finalTexts(isolation: actor) {
      if case .result(let result) = $0 { result } else { nil }
    }
  }

  /// Returns the final results as one text once the recognition has ended.
  ///
  /// In all other respects, it behaves like `finalTranscripts`.
  public func text(isolation actor: isolated (any Actor)? = #isolation) async throws -> String {
    try await finalTranscripts(isolation: actor).joinedAsWritten
  }
}

extension AsyncSequence {
  fileprivate func finalTexts(
    isolation actor: isolated (any Actor)?, of result: (Element) -> SpeechRecognitionResult?
  ) async throws -> [String] {
    var texts: [String] = []
    var iterator = makeAsyncIterator()
    while let element = try await iterator.next(isolation: actor) {
      guard let result = result(element), result.isFinal else { continue }
      texts.append(result.bestTranscription.formattedString)
    }
    try Task.checkCancellation()
    return texts
  }
}
