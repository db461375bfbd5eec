#if !PointFreeDependencies
import Glibc

/// A state that one thread at a time reads or changes.
///
/// It stands on a POSIX mutex and not on `Synchronization.Mutex`, because Thread Sanitizer sees the
/// former: what the module guards is checked and not suppressed. It is not recursive; hold it for a
/// look-up or a change, never while foreign code runs.
///
/// Thread safety: any thread may call ``withLock(_:)`` at any time, and may wait there.
// `@unchecked` is right, because `state` is only used under `mutex`.
package final class Lock<State>: @unchecked Sendable {
  // On the heap, because a mutex must not move.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  // There as well, because an empty state within the object would have the address of another part,
  // which the sanitizer takes for the state.
  private let state: UnsafeMutablePointer<State>

  /// Guards `state`, to which no other reference may exist.
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

  /// Runs `body` with the state while no other thread has it.
  ///
  /// - Returns: what the body returns; throws what it throws.
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
