public import AudioCore
public import SpeechEngine
import Synchronization

/// A speech engine for tests: whatever the audio is, it recognizes its script, and it records its
/// calls.
///
/// ```swift
/// let scripted = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go forward ten meters")])
/// withDependencies { $0.speechEngine = scripted.engine } operation: { … }
/// ```
public final class ScriptedSpeechEngine: Sendable {
  /// A call of a session.
  public enum Event: Equatable, Sendable {
    /// A session was created.
    case madeSession
    /// An utterance began.
    case began
    /// The engine decoded the utterance so far, which had this many frames.
    case decoded(after: FrameCount)
    /// After this number of frames, the engine was notified that the utterance may be over.
    case anticipated(after: FrameCount)
    /// An utterance was finished after this many frames.
    case finished(after: FrameCount)
    /// The session was released.
    case released
  }

  private struct State {
    var events: [Event] = []
    var options: [SpeechSessionOptions] = []
    var waiting: [(event: Event, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let utterances: [ScriptedUtterance]
  private let faults: ScriptedFaults
  private let traits: SpeechSessionTraits
  private let model: SpeechModel
  // Protects the events; waiting tasks are resumed after the lock is released.
  private let state = Mutex(State())

  /// Creates an engine that recognizes these utterances in order, and nothing after the last.
  ///
  /// - Parameters:
  ///   - utterances: the utterances, in order.
  ///   - faults: the scripted errors.
  ///   - tailPadding: the silence that the engine requests after an utterance.
  ///   - decodeInterval: the amount of new audio that the engine needs before it decodes the
  ///     utterance again, or nil for an engine that decodes continuously. With an interval, the
  ///     engine decodes whole utterances: its hypotheses have revisions and, before the end,
  ///     estimated timestamps. It also decodes when it is notified that the utterance may be over,
  ///     and `events` contains each decode.
  ///   - language: the language of its model, as a BCP 47 tag.
  public init(
    utterances: [ScriptedUtterance], faults: ScriptedFaults = ScriptedFaults(),
    tailPadding: Duration = .zero, decodeInterval: Duration? = nil, language: String = "en-US"
  ) {
    self.utterances = utterances
    self.faults = faults
    traits = SpeechSessionTraits(tailPadding: tailPadding, decodeInterval: decodeInterval)
    model = .scripted(language)
  }

  /// The engine to use in place of a real one.
  ///
  /// Each session starts the script again.
  ///
  /// A session for key phrases reports only the key phrases in the script. Creating a session for a
  /// language that the model does not support throws an error. Grammars, contextual phrases, and
  /// engine options have no effect and are recorded in `options`. The engine detects languages if an
  /// utterance has a `language`.
  public var engine: SpeechEngine {
    var engine = SpeechEngine(
      name: "scripted",
      availability: { self.availability },
      makeSession: { try self.makeSession($0) })
    if utterances.contains(where: { $0.language != nil }) {
      engine.capabilities = [.languageDetection]
    }
    return engine
  }

  /// The calls of all sessions, in order.
  public var events: [Event] { state.withLock { $0.events } }

  /// The options of the sessions, in creation order.
  public var options: [SpeechSessionOptions] { state.withLock { $0.options } }

  /// Returns when this event has been recorded; at once if it was recorded before.
  public func waitUntil(_ event: Event) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        guard !state.events.contains(event) else { return true }
        state.waiting.append((event, continuation))
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  private var availability: SpeechEngineAvailability {
    faults.loading.map { .unavailable($0) } ?? .ready(model)
  }

  private func makeSession(
    _ options: SpeechSessionOptions
  ) throws(SpeechEngineError) -> any SpeechEngineSession {
    if let error = faults.loading { throw error }
    try model.check(language: options.language)
    state.withLock { $0.options.append(options) }
    note(.madeSession)
    return ScriptedSession(
      utterances: utterances, faults: faults, options: options, traits: traits
    ) { self.note($0) }
  }

  private func note(_ event: Event) {
    let woken = state.withLock { state in
      state.events.append(event)
      defer { state.waiting.removeAll { $0.event == event } }
      return state.waiting.filter { $0.event == event }
    }
    for waiting in woken { waiting.continuation.resume() }
  }
}

/// The errors of a scripted engine.
public struct ScriptedFaults: Equatable, Sendable {
  /// Thrown when a session is created; the engine is then also unavailable.
  public var loading: SpeechEngineError?
  /// Thrown as soon as the processed part of an utterance is longer than `failsAfter`.
  public var processing: SpeechEngineError?
  /// The duration of each utterance that is processed before `processing` is thrown.
  public var failsAfter: Duration
  /// Thrown when an utterance is finished.
  public var finishing: SpeechEngineError?

  /// Creates faults; without arguments, nothing fails.
  public init(
    loading: SpeechEngineError? = nil, processing: SpeechEngineError? = nil,
    failsAfter: Duration = .zero, finishing: SpeechEngineError? = nil
  ) {
    self.loading = loading
    self.processing = processing
    self.failsAfter = failsAfter
    self.finishing = finishing
  }
}

/// The recognition of one utterance by a scripted engine, with its intermediate hypotheses.
public struct ScriptedUtterance: Sendable {
  /// The words in order, with their positions in the utterance and their final confidences.
  public var words: [SpeechHypothesis.Word]
  /// The hypotheses before the end; if there are none, each hypothesis contains the words that have
  /// ended.
  public var revisions: [Revision]

  /// The alternatives, most likely first; a session returns as many as requested.
  public var alternatives: [String] = []

  /// The language that the engine detects in a request for `SpokenLanguage.detected`; nil for none.
  public var language: SpokenLanguage?

  /// Creates an utterance from its words and the hypotheses before its end.
  public init(words: [SpeechHypothesis.Word], revisions: [Revision] = []) {
    self.words = words
    self.revisions = revisions
  }

  /// Creates an utterance of consecutive words of equal duration.
  public init(
    _ text: String, wordDuration: Duration = .milliseconds(200), confidence: Double? = 1
  ) {
    let length = FrameCount(wordDuration, at: .speech)
    words = text.split(separator: " ").enumerated().map { index, word in
      let begin = FrameCount(index * length.rawValue)
      return SpeechHypothesis.Word(
        String(word), frames: begin..<begin + length, confidence: confidence)
    }
    revisions = []
  }

  /// The engine's hypothesis after a part of the utterance.
  public struct Revision: Sendable {
    /// The duration of the processed part of the utterance.
    public var processed: Duration
    /// The engine's hypothesis at this point.
    public var text: String

    /// Creates a revision.
    public init(after processed: Duration, _ text: String) {
      self.processed = processed
      self.text = text
    }
  }

  /// Returns the hypothesis after this many frames at 16 kHz.
  func hypothesis(after processed: FrameCount) -> SpeechHypothesis {
    guard !revisions.isEmpty else {
      let known = words.filter { $0.frames.upperBound <= processed }
      return SpeechHypothesis(words: known.map { Word($0.text, frames: $0.frames) })
    }
    let current = revisions.last { FrameCount($0.processed, at: .speech) <= processed }
    return SpeechHypothesis(
      words: current.map { ScriptedUtterance($0.text, confidence: nil).words } ?? [])
  }

  /// Returns the final hypothesis with at most `count` alternatives.
  func whole(alternatives count: Int) -> SpeechHypothesis {
    SpeechHypothesis(
      words: words,
      alternatives: alternatives.prefix(count).map { ScriptedUtterance($0, confidence: nil).words })
  }

  private typealias Word = SpeechHypothesis.Word
}

/// A session that follows the script.
final class ScriptedSession: SpeechEngineSession {
  let traits: SpeechSessionTraits
  private var rest: ArraySlice<ScriptedUtterance>
  private let options: SpeechSessionOptions
  private let faults: ScriptedFaults
  private let note: @Sendable (ScriptedSpeechEngine.Event) -> Void
  private var current: ScriptedUtterance?
  private var processed: FrameCount = 0
  /// The number of decodes of the utterance, and the number of frames processed at the last decode.
  private var decode: (count: Int, processed: FrameCount?) = (0, nil)

  init(
    utterances: [ScriptedUtterance], faults: ScriptedFaults, options: SpeechSessionOptions,
    traits: SpeechSessionTraits,
    note: @escaping @Sendable (ScriptedSpeechEngine.Event) -> Void
  ) {
    rest = utterances[...]
    (self.faults, self.options, self.traits) = (faults, options, traits)
    self.note = note
  }

  deinit {
    note(.released)
  }

  var hypothesis: SpeechHypothesis {
    decodeAll()
    var hypothesis = current?.hypothesis(after: processed) ?? SpeechHypothesis()
    hypothesis.revision = (traits.decodeInterval != nil) ? decode.count : nil
    hypothesis.hasEstimatedTimes = traits.decodeInterval != nil
    hypothesis.language = detectedLanguage
    return options.keyPhrases.isEmpty ? hypothesis : hypothesis.phrases(options.keyPhrases)
  }

  private var detectedLanguage: SpokenLanguage? {
    options.language == SpokenLanguage.detected ? current?.language : nil
  }

  func anticipateEnd() {
    note(.anticipated(after: processed))
    decodeAll()
  }

  /// Decodes the utterance if there is new audio.
  private func decodeAll() {
    guard (traits.decodeInterval != nil), decode.processed != processed else { return }
    decode = (decode.count + 1, processed)
    note(.decoded(after: processed))
  }

  func beginUtterance() throws(SpeechEngineError) {
    current = rest.popFirst()
    (processed, decode.processed) = (0, nil)
    note(.began)
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    processed = processed + FrameCount(samples.count)
    if let error = faults.processing, processed > FrameCount(faults.failsAfter, at: .speech) {
      throw error
    }
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    if let error = faults.finishing { throw error }
    decodeAll()
    note(.finished(after: processed))
    var whole = current?.whole(alternatives: options.alternativeCount) ?? SpeechHypothesis()
    whole.language = detectedLanguage
    return options.keyPhrases.isEmpty ? whole : whole.phrases(options.keyPhrases)
  }
}
