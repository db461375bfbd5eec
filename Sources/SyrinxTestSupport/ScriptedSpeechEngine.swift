public import AudioCore
public import SpeechEngine
import Synchronization

/// A speech engine for tests: it recognizes its script, whatever the audio is, and reports
/// what was done with it.
///
/// ```swift
/// let scripted = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go forward ten meters")])
/// withDependencies { $0.speechEngine = scripted.engine } operation: { … }
/// ```
public final class ScriptedSpeechEngine: Sendable {
  /// What was done with a session.
  public enum Event: Equatable, Sendable {
    /// A session was made.
    case madeSession
    /// An utterance began.
    case began
    /// All of the utterance so far, so many frames, was decoded.
    case decoded(after: FrameCount)
    /// After so many frames the engine was notified that the utterance may be over.
    case anticipated(after: FrameCount)
    /// An utterance was finished after so many frames.
    case finished(after: FrameCount)
    /// The session was released.
    case released
  }

  private struct State {
    var events: [Event] = []
    var options: [SpeechSessionOptions] = []
    var waiting: [Waiting] = []
  }

  private struct Waiting {
    let event: Event
    let continuation: CheckedContinuation<Void, Never>
  }

  private let utterances: [ScriptedUtterance]
  private let faults: ScriptedFaults
  private let tailPadding: Duration
  private let decodeInterval: Duration?
  private let model: SpeechModel
  // Held to add an event; its waiters are resumed after it is released.
  private let state = Mutex(State())

  /// An engine that recognizes these utterances in order, and nothing in those after the last.
  ///
  /// - Parameters:
  ///   - utterances: what it recognizes, in order.
  ///   - faults: what fails, and when.
  ///   - tailPadding: the silence that it requests after an utterance.
  ///   - decodeInterval: how much audio it wants before it decodes the utterance anew. Then it is an
  ///     engine that decodes whole utterances: its hypotheses have revisions and, before the end,
  ///     estimated times, it anticipates the end, and `events` has each decode. Nil for an engine that
  ///     decodes as audio comes.
  public init(
    utterances: [ScriptedUtterance], faults: ScriptedFaults = ScriptedFaults(),
    tailPadding: Duration = .zero, decodeInterval: Duration? = nil
  ) {
    self.utterances = utterances
    self.faults = faults
    self.tailPadding = tailPadding
    self.decodeInterval = decodeInterval
    model = SpeechModel(language: "en-US", location: "script")
  }

  /// The engine to put in place of another; each of its sessions begins the script anew.
  ///
  /// A session for key phrases reports only those of the script; grammars, contextual
  /// phrases and engine options change nothing, and are kept in `options`.
  public var engine: SpeechEngine {
    var engine = SpeechEngine(
      name: "scripted",
      availability: { self.availability },
      makeSession: { try self.makeSession($0) })
    if let decodeInterval {
      (engine.partialInterval, engine.anticipatesEnd) = (decodeInterval, true)
    }
    return engine
  }

  /// What was done, in order, with all sessions.
  public var events: [Event] { state.withLock { $0.events } }

  /// What the sessions were asked for, in the order in which they were made.
  public var options: [SpeechSessionOptions] { state.withLock { $0.options } }

  /// Returns when this event has been noted, at once where it was before.
  public func waitUntil(_ event: Event) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        guard !state.events.contains(event) else { return true }
        state.waiting.append(Waiting(event: event, continuation: continuation))
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
    state.withLock { $0.options.append(options) }
    note(.madeSession)
    return ScriptedSession(
      utterances: utterances, faults: faults, options: options, tailPadding: tailPadding,
      decodesWholeUtterances: decodeInterval != nil
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

/// What goes wrong in a scripted engine.
public struct ScriptedFaults: Equatable, Sendable {
  /// Thrown when a session is made; the engine then is not available either.
  public var loading: SpeechEngineError?
  /// Thrown when an utterance is fed further than `failsAfter`.
  public var processing: SpeechEngineError?
  /// How much of each utterance is processed before `processing` is thrown.
  public var failsAfter: Duration
  /// Thrown when an utterance is finished.
  public var finishing: SpeechEngineError?

  /// Faults by the place where they happen; without any, none happens.
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

/// What a scripted engine understands of one utterance, and what it thinks on the way.
public struct ScriptedUtterance: Sendable {
  /// The words in order, where they lie in the utterance, and how sure the engine is at the end.
  public var words: [SpeechHypothesis.Word]
  /// The hypotheses before the end; without any, the words that have ended.
  public var revisions: [Revision]

  /// Further readings of it, the likelier first; a session gives as many as are asked for.
  public var alternatives: [String] = []

  /// An utterance from its words and what was thought on the way.
  public init(words: [SpeechHypothesis.Word], revisions: [Revision] = []) {
    self.words = words
    self.revisions = revisions
  }

  /// An utterance whose words follow one another, each as long as the others.
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
    /// How much of the utterance has been processed.
    public var heard: Duration
    /// The engine's hypothesis then.
    public var text: String

    /// A revision from its parts.
    public init(after heard: Duration, _ text: String) {
      self.heard = heard
      self.text = text
    }
  }

  /// The hypothesis after so many frames at 16 kHz.
  func hypothesis(after heard: FrameCount) -> SpeechHypothesis {
    guard !revisions.isEmpty else {
      let known = words.filter { $0.frames.upperBound <= heard }
      return SpeechHypothesis(words: known.map { Word($0.text, frames: $0.frames) })
    }
    let current = revisions.last { FrameCount($0.heard, at: .speech) <= heard }
    return SpeechHypothesis(
      words: current.map { ScriptedUtterance($0.text, confidence: nil).words } ?? [])
  }

  /// The hypothesis at the end, with further readings at most as many as are wanted.
  func whole(alternatives count: Int) -> SpeechHypothesis {
    SpeechHypothesis(
      words: words,
      alternatives: alternatives.prefix(count).map { ScriptedUtterance($0, confidence: nil).words })
  }

  private typealias Word = SpeechHypothesis.Word
}

/// A session that follows the script.
final class ScriptedSession: SpeechEngineSession {
  let tailPadding: Duration
  private var rest: ArraySlice<ScriptedUtterance>
  private let options: SpeechSessionOptions
  private let faults: ScriptedFaults
  private let note: @Sendable (ScriptedSpeechEngine.Event) -> Void
  private var current: ScriptedUtterance?
  private var heard: FrameCount = 0
  private let decodesWholeUtterances: Bool
  /// How often an utterance was decoded, and how much of it the last time.
  private var decode: (count: Int, heard: FrameCount?) = (0, nil)

  init(
    utterances: [ScriptedUtterance], faults: ScriptedFaults, options: SpeechSessionOptions,
    tailPadding: Duration, decodesWholeUtterances: Bool,
    note: @escaping @Sendable (ScriptedSpeechEngine.Event) -> Void
  ) {
    rest = utterances[...]
    (self.faults, self.options, self.tailPadding) = (faults, options, tailPadding)
    self.decodesWholeUtterances = decodesWholeUtterances
    self.note = note
  }

  deinit {
    note(.released)
  }

  var hypothesis: SpeechHypothesis {
    decodeAll()
    var hypothesis = current?.hypothesis(after: heard) ?? SpeechHypothesis()
    hypothesis.revision = decodesWholeUtterances ? decode.count : nil
    hypothesis.hasEstimatedTimes = decodesWholeUtterances
    return options.keyPhrases.isEmpty ? hypothesis : hypothesis.phrases(options.keyPhrases)
  }

  func anticipateEnd() {
    note(.anticipated(after: heard))
    decodeAll()
  }

  /// Decodes the audio that was not decoded before.
  private func decodeAll() {
    guard decodesWholeUtterances, decode.heard != heard else { return }
    decode = (decode.count + 1, heard)
    note(.decoded(after: heard))
  }

  func beginUtterance() throws(SpeechEngineError) {
    current = rest.popFirst()
    (heard, decode.heard) = (0, nil)
    note(.began)
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    heard = heard + FrameCount(samples.count)
    if let error = faults.processing, heard > FrameCount(faults.failsAfter, at: .speech) {
      throw error
    }
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    if let error = faults.finishing { throw error }
    decodeAll()
    note(.finished(after: heard))
    let whole = current?.whole(alternatives: options.alternativeCount) ?? SpeechHypothesis()
    return options.keyPhrases.isEmpty ? whole : whole.phrases(options.keyPhrases)
  }
}

extension SpeechHypothesis {
  /// The phrases that stand in it, a word each, without confidence.
  fileprivate func phrases(_ wanted: [SpeechKeyPhrase]) -> SpeechHypothesis {
    let texts = words.map(\.text)
    let found = words.indices.flatMap { index in
      wanted.compactMap { phrase -> Word? in
        let parts = phrase.text.split(separator: " ").map(String.init)
        guard texts[index...].starts(with: parts) else { return nil }
        let end = words[index + parts.count - 1].frames.upperBound
        return Word(phrase.text, frames: words[index].frames.lowerBound..<end)
      }
    }
    return SpeechHypothesis(words: found)
  }
}
