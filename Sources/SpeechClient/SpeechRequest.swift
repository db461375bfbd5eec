public import AudioCore
public import AudioRecorderClient
public import FoundationEssentials

/// What to recognise, and how results are wanted.
public struct SpeechRequest: Sendable {
  /// Where the audio comes from.
  public enum Source: Sendable {
    /// A sound file in any format, rate and number of channels; it is read as fast as it is
    /// recognised.
    case file(URL)
    /// Buffers in any one format, heard as they come; `backPressure` says what becomes of those
    /// that cannot be heard in time.
    ///
    /// A jump ahead in the buffers' `firstFrame` is a gap: it ends the utterance, `recognition`
    /// tells of it, and times go on behind it. One of at most 50 ms is heard as silence.
    case buffers(any AsyncSequence<AudioBuffer, any Error> & Sendable)
    /// A microphone, captured by the `\.audioRecorder` of whoever starts the task.
    ///
    /// It is opened when the task starts and closed when that ends, for whatever reason. What the
    /// capture throws (`AudioRecorderError`: nobody may open it, there is none, it was lost) ends
    /// the stream as it is, after the last final result. Frames that were lost are a gap as in
    /// `buffers`.
    case microphone(CaptureRequest)
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

  /// What becomes of audio that comes faster than it is understood.
  public enum BackPressure: Hashable, Sendable {
    /// It waits with whoever sends it: right for files, and for streams that lose nothing by it.
    case wait
    /// It is taken at once, and so much of it may wait: right for live sources.
    ///
    /// Where that is too little, the oldest is dropped, and `recognition` says so. A microphone
    /// with `wait` has its capture in its place, and what that drops is a gap.
    ///
    /// It counts as half a second at least; a second of 16 kHz mono takes 64 kB.
    case buffer(upTo: Duration)
  }

  /// What becomes of buffers that come faster than they are understood; files always wait.
  public var backPressure = BackPressure.wait

  /// The phrases to listen for, and nothing else; none for dictation or the grammar.
  ///
  /// A segment of the results is then a whole phrase. With a grammar as well, or with an engine
  /// that cannot do it, or a word that its model does not know, the stream throws
  /// `SpeechClientError.invalidRequest`.
  public var keyPhrases: [KeyPhrase] = []

  /// Phrases that are likely to be said: names, terms, titles of your application.
  ///
  /// A hint: of final results that are about equally likely, one with such a phrase in it is
  /// preferred. Engines that cannot do that leave it aside.
  public var contextualPhrases: [String] = []

  /// How many further readings a final result is to have at most, beside the best one.
  ///
  /// Less than 0 counts as none.
  public var alternativeCount = 0

  /// Settings that only the engine knows, by its own names for them.
  ///
  /// An unknown name, or a value that makes no sense, ends the stream with
  /// `SpeechClientError.invalidRequest`, which says what there is.
  public var engineOptions: [String: String] = [:]

  /// How many utterances may be recognised at the same time, each with a decoder of its own; 1, and
  /// anything less, for one after the other.
  ///
  /// The results are the same, in the same order. Tasks of one client that ask for more than 1
  /// share their decoders: together they have as many as the task that asks for the most. It is 1
  /// for partial results, key phrases and live sources, and with engines in which an utterance
  /// depends on those before it.
  public var jobCount = 1

  /// A request for a source.
  public init(source: Source, shouldReportPartialResults: Bool = true) {
    self.source = source
    self.shouldReportPartialResults = shouldReportPartialResults
  }

  /// A request to recognise a sound file.
  public init(url: URL, shouldReportPartialResults: Bool = true) {
    self.init(source: .file(url), shouldReportPartialResults: shouldReportPartialResults)
  }

  /// A request to recognise what a microphone hears, until `finishTask`: `microphone: .speech` for
  /// the default one.
  ///
  /// Up to a minute of sound may wait for a slow engine; `backPressure` says otherwise.
  public init(microphone capture: CaptureRequest, shouldReportPartialResults: Bool = true) {
    self.init(
      source: .microphone(capture), shouldReportPartialResults: shouldReportPartialResults)
    backPressure = .buffer(upTo: .seconds(60))
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
