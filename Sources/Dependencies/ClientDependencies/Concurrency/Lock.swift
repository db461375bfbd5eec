#if !PointFreeDependencies
import Glibc

/// Mutable state that one thread at a time accesses.
///
/// It uses a POSIX mutex instead of `Synchronization.Mutex`, which Thread Sanitizer does not
/// understand. The lock is not recursive. Hold it for a lookup or a change, never while code
/// outside this module runs.
///
/// Thread safety: any thread may call ``withLock(_:)`` at any time; the call may block.
// `@unchecked` is safe, because `state` is only used under `mutex`.
package final class Lock<State>: @unchecked Sendable {
  // The mutex is on the heap, because it must not move.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  // The state is on the heap, too. Inside the object, an empty state would share its address with
  // another property, and Thread Sanitizer would confuse the two.
  private let state: UnsafeMutablePointer<State>

  /// Guards `state`, which must have no other references.
  package init(_ state: sending State) {
    self.state = .allocate(capacity: 1)
    self.state.initialize(to: state)
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    check(pthread_mutex_init(mutex, nil))
  }

  deinit {
    check(pthread_mutex_destroy(mutex))
    mutex.deallocate()
    state.deinitialize(count: 1).deallocate()
  }

  /// Runs `body` with exclusive access to the state.
  ///
  /// - Returns: the result of the body; rethrows its error.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    check(pthread_mutex_lock(mutex))
    defer { check(pthread_mutex_unlock(mutex)) }
    return try body(&state.pointee)
  }

  private func check(_ status: CInt) {
    precondition(status == 0, "A POSIX mutex failed: \(status).")
  }
}
#endif
