public import AudioCore
public import SpeechEngine
import Synchronization

/// A speech engine for tests: it understands what its script says, whatever it hears, and tells
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
    /// The engine was told after so many frames that the utterance may be over.
    case anticipated(after: FrameCount)
    /// An utterance was finished after so many frames.
    case finished(after: FrameCount)
    /// The session was let go of.
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
  // Held to note an event; whoever waits for it is woken after it is free.
  private let state = Mutex(State())

  /// An engine that hears these utterances in order, and in those after the last of them nothing.
  ///
  /// - Parameters:
  ///   - utterances: what it recognizes, in order.
  ///   - faults: what fails, and when.
  ///   - tailPadding: how much silence it says that it wants after an utterance.
  ///   - decodeInterval: how much audio it wants before it decodes the utterance anew. Then it is an
  ///     engine that decodes whole utterances: its hypotheses have revisions and, before the end,
  ///     estimated times, it anticipates the end, and `events` has each decode. Nil for an engine that
  ///     decodes as it hears.
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
  /// A session that is asked for key phrases tells of the script only those; grammars, contextual
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
  /// Thrown when a session is made; the engine then also says that it is not available.
  public var loading: SpeechEngineError?
  /// Thrown when an utterance is fed further than `failsAfter`.
  public var processing: SpeechEngineError?
  /// How much of each utterance is heard before `processing` is thrown.
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
