import AudioThreads
import Synchronization

/// Passes blocks from one thread to another; the faster thread waits.
///
/// Unlike a `StreamPipe`, which suspends tasks, it blocks the threads at both ends.
///
/// Thread safety: one thread calls `put`, one calls `next`, and any thread may call `abandon`.
final class Handoff<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var isOver = false
    var isAbandoned = false
    var failure: (any Error)?
  }

  // Held to add or remove one element.
  private let state = Mutex(State())
  private let capacity: Int
  private let hasRoom: WakeUp
  private let hasElements: WakeUp

  init(capacity: Int) throws(SystemError) {
    self.capacity = capacity
    hasRoom = try WakeUp()
    hasElements = try WakeUp()
  }

  /// Waits for room and adds an element; returns false if no more elements are wanted.
  func put(_ element: Element) -> Bool {
    while true {
      let isDone: Bool? = state.withLock { state in
        if state.isAbandoned { return false }
        guard state.elements.count < capacity else { return nil }
        state.elements.append(element)
        return true
      }
      if let isDone {
        if isDone { hasElements.signal() }
        return isDone
      }
      hasRoom.wait()
    }
  }

  /// Ends the handoff after its elements, with or without an error.
  func finish(_ failure: (any Error)? = nil) {
    state.withLock { state in
      state.isOver = true
      state.failure = failure
    }
    hasElements.signal()
  }

  /// Waits for the next element and returns it; nil at the end.
  ///
  /// - Throws: the error of `finish`, after the last element.
  func next() throws -> Element? {
    while true {
      let next: Result<Element?, any Error>? = state.withLock { state in
        if state.isAbandoned { return .success(nil) }
        guard state.elements.isEmpty else { return .success(state.elements.removeFirst()) }
        guard state.isOver else { return nil }
        return state.failure.map(Result.failure) ?? .success(nil)
      }
      if let next {
        hasRoom.signal()
        return try next.get()
      }
      hasElements.wait()
    }
  }

  /// Ends both sides and drops the backlog.
  func abandon() {
    state.withLock { state in
      state.isAbandoned = true
      state.elements = []
    }
    hasRoom.signal()
    hasElements.signal()
  }
}
