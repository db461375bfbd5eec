public import AudioCore
public import AudioRecorderClient
public import FoundationEssentials

/// A request to recognize speech: its source, and the results to report.
public struct SpeechRequest: Sendable {
  /// The source of the audio.
  public enum Source: Sendable {
    /// A sound file in any format, rate, and number of channels; it is read as fast as it is
    /// recognized.
    case file(URL)
    /// Buffers in one format, recognized as they arrive; `backPressure` determines how a backlog is
    /// handled.
    ///
    /// A jump ahead in the buffers' `firstFrame` is a gap: it ends the utterance, `recognition`
    /// reports it, and timestamps continue after it. A gap of at most 50 ms counts as silence.
    case buffers(any AsyncSequence<AudioBuffer, any Error> & Sendable)
    /// A microphone, captured by the `\.audioRecorder` of the task's caller.
    ///
    /// It is open while the task runs. If the capture fails (`AudioRecorderError`: no permission,
    /// no microphone, microphone lost), the stream ends after the last final result, and throws
    /// that error unchanged. Lost frames are a gap, as for `buffers`.
    case microphone(CaptureRequest)
  }

  /// The source of the audio.
  public var source: Source

  /// Whether to report partial results; without them, recognition takes less work.
  public var shouldReportPartialResults: Bool

  /// The policy for the beginning and end of an utterance.
  public var endpointPolicy = EndpointPolicy()

  /// The permitted sentences; nil for dictation.
  public var grammar: SpeechGrammar?

  /// The language of the speech, as a BCP 47 tag such as `en-US`; nil for the language of the
  /// engine's model.
  ///
  /// With `SpokenLanguage.detected`, the engine finds the language of each utterance, and
  /// `SpeechRecognitionResult.language` reports it.
  ///
  /// A language that the model does not support ends the stream with
  /// `SpeechClientError.unavailable`; an engine that detects no languages ends it with
  /// `SpeechClientError.invalidRequest`.
  public var locale: String?

  /// Whether to translate the words into English.
  ///
  /// An engine without `SpeechEngineCapability.translation` ends the stream with
  /// `SpeechClientError.invalidRequest`.
  public var translates = false

  /// The handling of audio that arrives faster than it is recognized.
  public enum BackPressure: Hashable, Sendable {
    /// The sender waits, which suits files, and streams that can wait without loss.
    case wait
    /// Audio is accepted at once, with a backlog of up to this length; for live sources.
    ///
    /// A longer backlog drops its oldest audio, at least an eighth of it at a time, and
    /// `recognition` reports the loss. A microphone's capture drops no audio before this limit is
    /// reached.
    ///
    /// The shortest backlog is half a second; a second of 16 kHz mono takes 64 kB.
    case buffer(upTo: Duration)
  }

  /// The handling of buffers that arrive faster than they are recognized.
  ///
  /// Files always wait. A microphone never waits: if this is `wait`, the microphone's backlog is up
  /// to `CaptureRequest.droppingOldestAfter`.
  public var backPressure = BackPressure.wait

  /// Whether a source with `wait` may deliver audio in real time, like a network connection.
  ///
  /// If true, the engine decodes the utterance so far in each pause, unless more audio is queued. A
  /// final result then arrives sooner, but the engine does more work, and neighboring utterances
  /// are not joined. A file is never live; a source with `buffer(upTo:)` always is.
  public var isLive = false

  /// The key phrases to recognize exclusively; empty for dictation or the grammar.
  ///
  /// A segment of the results is then a whole phrase. The stream throws
  /// `SpeechClientError.invalidRequest` if there is also a grammar, if the engine does not support
  /// key phrases, or if its model lacks a word.
  public var keyPhrases: [KeyPhrase] = []

  /// Phrases that are likely to be spoken: names, terms, or titles of your application.
  ///
  /// This is a hint: among about equally likely alternatives, a final result prefers an alternative
  /// that contains a phrase. Engines that cannot use the hint ignore it. With every engine, words
  /// that differ from a phrase only in case, spaces, and hyphens get its spelling.
  public var contextualPhrases: [String] = []

  /// The maximum number of alternatives in a final result, besides the best transcription; a
  /// negative number counts as 0.
  public var alternativeCount = 0

  /// Whether the engine measures word times.
  ///
  /// If false, an engine that needs an extra pass to measure word times estimates them instead, and
  /// the results report this. The word times of joined utterances
  /// (`EndpointPolicy.joinsUtterances`) are always measured, because they determine how the words
  /// are divided into results.
  public var measuresWordTimes = true

  /// Settings specific to the engine, by the names that the engine defines.
  ///
  /// An unknown name or an invalid value ends the stream with `SpeechClientError.invalidRequest`,
  /// which lists the valid settings.
  public var engineOptions: [String: String] = [:]

  /// The number of utterances to recognize at the same time, each with its own decoder; 1 or less
  /// to recognize them one after the other.
  ///
  /// The results are the same, in the same order. Partial results and live sources always use one
  /// decoder.
  public var jobCount = 1

  /// The channels to recognize.
  public enum Channels: Hashable, Sendable {
    /// All channels, mixed into one.
    case mixed
    /// Each channel separately, for recordings with one speaker in each channel; at most 16
    /// channels.
    ///
    /// The results share one timeline, and are in the order of the utterances' starts: a result
    /// waits until all earlier utterances of other channels are over. With `buffer(upTo:)`, it
    /// waits at most as long as the longest backlog or `EndpointPolicy.maximumLength`, whichever is
    /// longer, and is then reported out of order.
    ///
    /// A channel is skipped while it equals an earlier channel, except for clicks, and for noise 40
    /// dB below the loudest sound or below -70 dBFS. A channel that ends before the others is
    /// silent. Each channel has its own decoder; with a higher `jobCount`, the channels of a file
    /// share that many decoders.
    case separate
    /// This channel alone, counted from 0.
    ///
    /// If the audio lacks it, the stream ends with `AudioStreamError.tooFewChannels`, or with the
    /// error of a microphone's capture; a negative number ends it with
    /// `SpeechClientError.invalidRequest`.
    case only(Int)
  }

  /// The channels to recognize; all of them mixed, by default.
  ///
  /// A microphone is captured with a single channel for `only`. For `separate`, a microphone with
  /// `CaptureRequest.channelCount` 1 is captured with two channels, or the device's nearest count.
  public var channels = Channels.mixed

  /// Creates a request for a source.
  public init(source: Source, shouldReportPartialResults: Bool = true) {
    self.source = source
    self.shouldReportPartialResults = shouldReportPartialResults
    if case .file = source { endpointPolicy.joinsUtterances = true }
  }

  /// Creates a request to recognize a sound file.
  public init(url: URL, shouldReportPartialResults: Bool = true) {
    self.init(source: .file(url), shouldReportPartialResults: shouldReportPartialResults)
  }

  /// Creates a request to recognize a microphone until `finishTask`; `microphone: .speech` is the
  /// default microphone.
  ///
  /// The backlog is up to a minute, like that of `.speech`, unless `backPressure` is changed.
  public init(microphone capture: CaptureRequest, shouldReportPartialResults: Bool = true) {
    self.init(
      source: .microphone(capture), shouldReportPartialResults: shouldReportPartialResults)
    backPressure = .buffer(upTo: CaptureRequest.speech.droppingOldestAfter)
  }

  /// Creates a request to recognize a throwing or nonthrowing stream of buffers.
  ///
  /// The stream must end when the task that iterates it is canceled, as Swift's own streams do.
  public init<Buffers: AsyncSequence & Sendable>(
    buffers: Buffers, shouldReportPartialResults: Bool = true
  ) where Buffers.Element: AudioBlock {
    let throwing = buffers.map { block throws in block.buffer }
    self.init(source: .buffers(throwing), shouldReportPartialResults: shouldReportPartialResults)
  }
}

/// The policy for the beginning and end of an utterance, which is the same for all engines.
///
/// Durations are converted to frames of the voice activity detector: 10 ms for the energy detector,
/// 32 ms for Silero. They are rounded up, except `tailPadding`, which is rounded down. An invalid
/// duration counts as the nearest valid duration; `maximumLength` is at least one second.
public struct EndpointPolicy: Hashable, Sendable {
  /// The duration of the audio that an utterance includes before its first speech, so that the
  /// first sound is not cut off; 300 ms.
  public var preRoll: Duration
  /// The duration of speech that begins an utterance; 30 ms, to ignore clicks.
  public var onset: Duration
  /// The duration of silence that ends an utterance, doubled if the stream may have begun in the
  /// middle of the utterance; 600 ms.
  public var silence: Duration
  /// Whether neighboring utterances are decoded as one, up to `maximumLength`, if the engine is
  /// more accurate with more context; true for `SpeechRequest(url:)`.
  ///
  /// Results then arrive later, but still end at sentences and at pauses of `silence` between
  /// words. No word of a partial result is stable. The property has no effect on a microphone,
  /// other live audio, grammars, and key phrases.
  public var joinsUtterances: Bool
  /// The length after which a pause of `shortSilence` ends an utterance; 12 s.
  public var preferredLength: Duration
  /// The duration of silence that ends an utterance longer than `preferredLength`; 150 ms.
  public var shortSilence: Duration
  /// The maximum length of an utterance; 20 s.
  ///
  /// A longer utterance ends in a pause, or is cut at the quietest frame in the last tenth of this
  /// length; the next utterance continues from there. Engines need memory and time in proportion to
  /// the length; engines with a lower limit get shorter utterances.
  public var maximumLength: Duration
  /// The duration of silence that the engine gets after the last sound of an utterance, up to 10 s.
  ///
  /// The silence keeps the engine from truncating the last word.
  ///
  /// Nil means the silence that ended the utterance, or 200 ms if the engine decodes in pauses.
  ///
  /// If the duration is less than the pause, the engine gets the rest of the pause only if speech
  /// resumes. If the duration is more than the pause, digital silence is added. An engine that
  /// requires more silence gets more.
  public var tailPadding: Duration?

  /// Creates a policy; the defaults suit dictation and commands.
  public init(
    preRoll: Duration = .milliseconds(300), onset: Duration = .milliseconds(30),
    silence: Duration = .milliseconds(600), preferredLength: Duration = .seconds(12),
    shortSilence: Duration = .milliseconds(150), maximumLength: Duration = .seconds(20),
    tailPadding: Duration? = nil, joinsUtterances: Bool = false
  ) {
    self.preRoll = preRoll
    self.onset = onset
    self.silence = silence
    self.preferredLength = preferredLength
    self.shortSilence = shortSilence
    self.maximumLength = maximumLength
    self.tailPadding = tailPadding
    self.joinsUtterances = joinsUtterances
  }
}

/// A grammar in the Java Speech Grammar Format (JSGF): only its sentences are recognized.
///
/// Depending on the engine, other speech yields no words, or is recognized as words of the grammar,
/// without confidence.
public enum SpeechGrammar: Hashable, Sendable {
  /// The grammar's text, from `#JSGF V1.0;` on.
  case text(String)
  /// A file or pipe with the grammar as UTF-8 text, at most 16 MiB.
  ///
  /// The task reads it on its own thread at the start; a read error ends the stream.
  case file(URL)
}

extension SpeechRequest {
  /// Returns the key phrases, with a space between their words.
  ///
  /// - Throws: `.invalidRequest` if a phrase is invalid, or if there is also a grammar.
  package func checkedKeyPhrases() throws(SpeechClientError) -> [KeyPhrase] {
    guard keyPhrases.isEmpty || grammar == nil else {
      throw .invalidRequest(
        reason: "a grammar and key phrases exclude each other; request one of them")
    }
    var checked: [KeyPhrase] = []
    for phrase in keyPhrases {
      let words = phrase.text.split(whereSeparator: \.isWhitespace)
      guard !words.isEmpty else { throw .invalidRequest(reason: "a key phrase has no words") }
      let text = words.joined(separator: " ")
      if let threshold = phrase.threshold, !(threshold > 0 && threshold <= 1) {
        throw .invalidRequest(
          reason: "the threshold of \"\(text)\" is \(threshold), and not above 0 and at most 1")
      }
      checked.append(KeyPhrase(text, threshold: phrase.threshold))
    }
    return checked
  }
}
