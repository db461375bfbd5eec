import Synchronization

/// Streams that report added and removed devices; they share one watch, which ends with the last.
final class DeviceChanges: Sendable {
  /// Starts a watch and returns a closure that ends it, or nil if the system refuses.
  typealias StartWatching =
    @Sendable (_ changed: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?

  private struct State {
    var observers: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
    var stop: (@Sendable () -> Void)?
  }

  // Held for a few instructions, and while a watch starts, by consumers and the watching thread.
  private let state = Mutex(State())
  private let watching: StartWatching

  init(watching: @escaping StartWatching) {
    self.watching = watching
  }

  /// Returns a new stream; it ends at once if changes cannot be observed.
  func stream() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state -> Int? in
      if state.stop == nil { state.stop = watching { [weak self] in self?.announce() } }
      guard state.stop != nil else { return nil }
      state.next += 1
      state.observers[state.next] = continuation
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.leave(number) }
    return stream
  }

  private func announce() {
    for observer in state.withLock({ Array($0.observers.values) }) { observer.yield() }
  }

  private func leave(_ number: Int) {
    let stop = state.withLock { state in
      state.observers[number] = nil
      return state.observers.isEmpty ? state.stop.take() : nil
    }
    stop?()
  }
}
