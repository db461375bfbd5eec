import AudioCore
import AudioThreads
import Synchronization

/// Passes blocks from one thread to another; the faster thread waits.
///
/// Unlike a `StreamPipe`, which suspends tasks, it blocks the threads at both ends.
///
/// Thread safety: one thread calls `put`, one calls `next`, and any thread may call `abandon`.
final class Handoff<Element: Sendable>: Sendable {
  // The lock is held to add or remove one element.
  private let queue: Mutex<PolicyQueue<Element>>
  private let hasRoom: WakeUp
  private let hasElements: WakeUp

  init(capacity: Int) throws(SystemError) {
    queue = Mutex(PolicyQueue(policy: .keepingAll(limit: capacity)))
    hasRoom = try WakeUp()
    hasElements = try WakeUp()
  }

  /// Waits for room and adds an element; returns false if no more elements are wanted.
  func put(_ element: Element) -> Bool {
    while true {
      let isDone: Bool? = queue.withLock { queue in
        if queue.isClosed { return false }
        guard queue.hasRoom else { return nil }
        queue.send(element)
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
    queue.withLock { $0.finish(throwing: failure) }
    hasElements.signal()
  }

  /// Waits for the next element and returns it; nil at the end.
  ///
  /// - Throws: the error of `finish`, once after the last element.
  func next() throws -> Element? {
    while true {
      switch queue.withLock({ $0.next() }) {
      case .wait: hasElements.wait()
      case .element(let element):
        hasRoom.signal()
        return element
      case .end(nil): return nil
      case .end(let failure?): throw failure
      }
    }
  }

  /// Ends both sides and drops the backlog.
  func abandon() {
    queue.withLock { $0.abandon() }
    hasRoom.signal()
    hasElements.signal()
  }
}
