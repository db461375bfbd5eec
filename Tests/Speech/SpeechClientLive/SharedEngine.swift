import AudioCore
import SpeechEngine
import Synchronization

/// An engine that counts its sessions.
///
/// It recognizes two words in each utterance: the utterance's number and the number of its samples.
final class SharedEngine: Sendable {
  struct State {
    var sessionCount = 0
    var mostSessions = 0
    var made = 0
    fileprivate var waiting: [Waiting] = []
  }

  /// A caller that waits for certain counts.
  fileprivate struct Waiting {
    let areRight: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  /// Called by `finishUtterance` with the number of the utterance.
  private let finishing: @Sendable (Int) throws(SpeechEngineError) -> Void
  private let traits: SpeechSessionTraits
  // The lock is held only to count; callers are resumed after the lock is released.
  private let state = Mutex(State())

  init(
    traits: SpeechSessionTraits = SpeechSessionTraits(),
    finishing: @escaping @Sendable (Int) throws(SpeechEngineError) -> Void = { _ in }
  ) {
    (self.traits, self.finishing) = (traits, finishing)
  }

  var counts: State { state.withLock { $0 } }

  /// Waits until this many sessions have been made, including released ones.
  func hasMade(sessions: Int) async { await wait { $0.made >= sessions } }

  /// Waits until there is no session.
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
    SpeechEngine(
      name: "shared",
      availability: { .ready(SpeechModel(language: "en-US", location: "test")) },
      makeSession: { options in
        if options.grammar == "bad" { throw SpeechEngineError.grammarInvalid(line: 1, reason: "") }
        return Session(owner: self)
      })
  }

  private final class Session: SpeechEngineSession {
    private let owner: SharedEngine
    private var index: Int?
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
    var traits: SpeechSessionTraits { owner.traits }

    func beginUtterance() { (index, processed) = (nil, 0) }

    func process(_ samples: [Float]) {
      if processed == 0 { index = utteranceIndex(samples) }
      processed += samples.count
    }

    func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
      let index = index ?? -1
      try owner.finishing(index)
      return SpeechHypothesis(words: [
        SpeechHypothesis.Word("\(index)", frames: 0..<1600),
        SpeechHypothesis.Word("of\(processed)", frames: 1600..<3200),
      ])
    }
  }
}
