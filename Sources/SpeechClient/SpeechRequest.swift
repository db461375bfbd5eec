public import AudioCore
public import FoundationEssentials

/// What to recognise, and how results are wanted.
public struct SpeechRequest: Sendable {
  /// Where the audio comes from.
  public enum Source: Sendable {
    /// A sound file in any format, rate and number of channels; it is read as fast as it is
    /// recognised.
    case file(URL)
    /// Buffers in any one format, heard as they come; what cannot be heard in time waits with their
    /// sender.
    ///
    /// A jump ahead in the buffers' `firstFrame` is a gap: it ends the utterance, and times go on
    /// behind it.
    case buffers(any AsyncSequence<AudioBuffer, any Error> & Sendable)
  }

  /// Where the audio comes from.
  public var source: Source

  /// Whether partial results are wanted as well; without them only final ones come, for less work.
  public var shouldReportPartialResults: Bool

  /// When an utterance begins and ends.
  public var endpointPolicy = EndpointPolicy()

  /// What may be said, where it is not just anything; nil for dictation.
  public var grammar: SpeechGrammar?

  /// The language that is spoken, as a BCP 47 tag such as `en-US`; nil for that of the engine's
  /// model.
  ///
  /// Another one than the model's ends the stream with `SpeechClientError.unavailable`.
  public var locale: String?

  /// A request for a source.
  public init(source: Source, shouldReportPartialResults: Bool = true) {
    self.source = source
    self.shouldReportPartialResults = shouldReportPartialResults
  }

  /// A request to recognise a sound file.
  public init(url: URL, shouldReportPartialResults: Bool = true) {
    self.init(source: .file(url), shouldReportPartialResults: shouldReportPartialResults)
  }

  /// A request to recognise a stream of buffers, whether it can fail or not.
  ///
  /// The stream must end when the task that iterates it is cancelled, as Swift's own streams do.
  public init<Buffers: AsyncSequence & Sendable>(
    buffers: Buffers, shouldReportPartialResults: Bool = true
  ) where Buffers.Element == AudioBuffer {
    let throwing = buffers.map { buffer throws in buffer }
    self.init(source: .buffers(throwing), shouldReportPartialResults: shouldReportPartialResults)
  }
}
