import Glibc

/// `Synchronization.Mutex` on a POSIX mutex, compiled into each module that is checked and found
/// there before the other: Thread Sanitizer does not see the real one, which is a futex in a
/// library of Swift's, and would report whatever lies behind it.
/// It is no module of its own: beside `Synchronization`, which every file imports, a second imported
/// `Mutex` would be ambiguous.
// `@unchecked` is right, because `value` is only used under `mutex`.
struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // On the heap, because a mutex must not move, and neither must what the sanitizer watches.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let value: UnsafeMutablePointer<Value>

  init(_ initialValue: consuming sending Value) {
    value = .allocate(capacity: 1)
    value.initialize(to: initialValue)
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    check(pthread_mutex_init(mutex, nil))
  }

  deinit {
    check(pthread_mutex_destroy(mutex))
    mutex.deallocate()
    value.deinitialize(count: 1).deallocate()
  }

  borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    check(pthread_mutex_lock(mutex))
    defer { check(pthread_mutex_unlock(mutex)) }
    return try body(&value.pointee)
  }

  private borrowing func check(_ status: CInt) {
    precondition(status == 0, "A POSIX mutex failed: \(status).")
  }
}
