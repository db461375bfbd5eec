import AudioCore
import SpeechEngine
import Synchronization

/// An engine whose sessions share the utterances of a stream; it says which utterance it was and
/// how many came before.
final class SharedEngine: Sendable {
  struct State {
    var sessionCount = 0
    var mostSessions = 0
    var made = 0
    fileprivate var waiting: [Waiting] = []
  }

  /// Who waits until the counts are right.
  fileprivate struct Waiting {
    let areRight: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  /// What happens within `finishUtterance`, before the words are given.
  private let finishing: @Sendable (Int) throws(SpeechEngineError) -> Void
  private let tailPadding: Duration
  // Held to count; waiters are resumed after it is released.
  private let state = Mutex(State())

  init(
    tailPadding: Duration = .zero,
    finishing: @escaping @Sendable (Int) throws(SpeechEngineError) -> Void = { _ in }
  ) {
    (self.tailPadding, self.finishing) = (tailPadding, finishing)
  }

  var counts: State { state.withLock { $0 } }

  /// Returns when this many sessions have been made, including those that are gone.
  func hasMade(sessions: Int) async { await wait { $0.made >= sessions } }

  /// Returns when there is no session.
  func hasNoSessions() async { await wait { $0.sessionCount == 0 } }

  private func wait(until areRight: @escaping @Sendable (State) -> Bool) async {
    await withCheckedContinuation { continuation in
      change { $0.waiting.append(Waiting(areRight: areRight, continuation: continuation)) }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let woken = state.withLock { state in
      body(&state)
      let now = state
      defer { state.waiting.removeAll { $0.areRight(now) } }
      return state.waiting.filter { $0.areRight(now) }
    }
    for waiting in woken { waiting.continuation.resume() }
  }

  var engine: SpeechEngine {
    var engine = SpeechEngine(
      name: "shared",
      availability: { .ready(SpeechModel(language: "en-US", location: "test")) },
      makeSession: { options in
        if options.grammar == "bad" { throw SpeechEngineError.grammarInvalid(line: 1, reason: "") }
        return Session(owner: self)
      })
    engine.makeAdaptation = { [tailPadding] _ in Adaptation(tailPadding: tailPadding) }
    return engine
  }

  /// How many utterances there were, and how many samples they had.
  private struct AdaptationState: Equatable {
    var count = 0
    var samples = 0
  }

  private final class Adaptation: SpeechAdaptation {
    let tailPadding: Duration
    private var adaptation = AdaptationState()
    var state: any Sendable { adaptation }

    init(tailPadding: Duration) {
      self.tailPadding = tailPadding
    }

    func add(_ utterance: [[Float]]) {
      adaptation.count += 1
      adaptation.samples += utterance.reduce(0) { $0 + $1.count }
    }
  }

  private final class Session: SpeechEngineSession {
    private let owner: SharedEngine
    private var adaptation = AdaptationState()
    private var processed = 0

    init(owner: SharedEngine) {
      self.owner = owner
      owner.change { state in
        state.sessionCount += 1
        state.made += 1
        state.mostSessions = max(state.mostSessions, state.sessionCount)
      }
    }

    deinit {
      owner.change { $0.sessionCount -= 1 }
    }

    var hypothesis: SpeechHypothesis { SpeechHypothesis() }
    var tailPadding: Duration { owner.tailPadding }

    func beginUtterance() { processed = 0 }

    func beginUtterance(adaptationState state: any Sendable) {
      adaptation = state as? AdaptationState ?? adaptation
      beginUtterance()
    }

    func process(_ samples: [Float]) { processed += samples.count }

    func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
      try owner.finishing(adaptation.count)
      defer {
        adaptation = AdaptationState(
          count: adaptation.count + 1, samples: adaptation.samples + processed)
      }
      return SpeechHypothesis(words: [
        SpeechHypothesis.Word("\(adaptation.count)", frames: 0..<1600),
        SpeechHypothesis.Word("after\(adaptation.samples)", frames: 1600..<3200),
      ])
    }
  }
}
