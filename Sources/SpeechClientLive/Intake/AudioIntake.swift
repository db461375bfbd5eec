import AudioCore
import SpeechClient
import Synchronization

/// Between the task that reads a source and the one that has it heard; both may wait for the other.
final class AudioIntake: Sendable {
  private struct State {
    var queue: IntakeQueue
    var failure: (any Error)?
    var hearer: CheckedContinuation<IntakeQueue.Item?, Never>?
    var reader: CheckedContinuation<Bool, Never>?
  }

  /// Whom to resume once the lock is free.
  private struct Wake {
    var hearer: (CheckedContinuation<IntakeQueue.Item?, Never>, IntakeQueue.Item?)?
    var reader: (CheckedContinuation<Bool, Never>, Bool)?
  }

  // Held to move buffers in and out; whoever waits is woken after it is free.
  private let state: Mutex<State>
  private let reportLag: @Sendable (Duration) -> Void

  /// - Parameter reportLag: is called while the intake is locked, so that lags come in order.
  init(
    _ backPressure: SpeechRequest.BackPressure,
    reportLag: @escaping @Sendable (Duration) -> Void = { _ in }
  ) {
    state = Mutex(State(queue: IntakeQueue(backPressure)))
    self.reportLag = reportLag
  }

  /// What the source failed with.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Whether something is waited for that the source has not given.
  var isHungry: Bool { state.withLock { $0.hearer != nil } }

  /// Whether a source that waits has given more than what is being heard.
  var hasMore: Bool { state.withLock { $0.queue.holdsBack } }

  func finish() { change { $0.queue.finish() } }
  func abandon() { change { $0.queue.abandon() } }

  /// The source has ended, with an error or without.
  func close(_ failure: (any Error)? = nil) {
    change { state in
      if !state.queue.isClosed { state.failure = failure }
      state.queue.close()
    }
  }

  /// Takes a buffer, and returns when there is room for the next; whether one is wanted.
  func add(_ buffer: AudioBuffer) async -> Bool {
    await withCheckedContinuation { reader in
      change { state in
        state.queue.add(buffer)
        state.reader = reader
      }
    }
  }

  /// What is heard next; nil at the end.
  func next() async -> IntakeQueue.Item? {
    await withCheckedContinuation { hearer in
      change { $0.hearer = hearer }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let wake = state.withLock { state in
      body(&state)
      let wake = Self.whomToWake(&state)
      // Also while nobody takes what waits: the engine may be stuck.
      if let lag = state.queue.lag() { reportLag(lag) }
      return wake
    }
    if let (reader, isWanted) = wake.reader { reader.resume(returning: isWanted) }
    if let (hearer, item) = wake.hearer { hearer.resume(returning: item) }
  }

  private static func whomToWake(_ state: inout State) -> Wake {
    var wake = Wake()
    if let hearer = state.hearer {
      switch state.queue.next() {
      case .take(let item): wake.hearer = (hearer, item)
      case .end: wake.hearer = (hearer, nil)
      case .wait: break
      }
      if wake.hearer != nil { state.hearer = nil }
    }
    if state.queue.hasRoom, let reader = state.reader.take() {
      wake.reader = (reader, !state.queue.isClosed)
    }
    return wake
  }
}
