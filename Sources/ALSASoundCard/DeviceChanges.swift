import Synchronization

/// Streams that tell of devices that come and go: one watch for all of them, which ends with the
/// last.
final class DeviceChanges: Sendable {
  /// Starts to watch; gives what ends that, nil where the system refuses.
  typealias Watching =
    @Sendable (_ changed: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?

  private struct State {
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
    var stop: (@Sendable () -> Void)?
  }

  // Held for a few instructions, and while a watch is started, by those who listen and by the
  // watching thread.
  private let state = Mutex(State())
  private let watching: Watching

  init(watching: @escaping Watching) {
    self.watching = watching
  }

  /// A stream of its own; it ends at once where nothing can be watched.
  func stream() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state -> Int? in
      if state.stop == nil { state.stop = watching { [weak self] in self?.announce() } }
      guard state.stop != nil else { return nil }
      state.next += 1
      state.listeners[state.next] = continuation
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
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
  }

  private func leave(_ number: Int) {
    let stop = state.withLock { state in
      state.listeners[number] = nil
      return state.listeners.isEmpty ? state.stop.take() : nil
    }
    stop?()
  }
}
