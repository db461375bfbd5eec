import Glibc

/// A replacement for `Synchronization.Mutex` that uses a POSIX mutex.
///
/// Thread Sanitizer does not see the original's futex, and would report every access to a protected
/// value. This file is compiled into each tested module, where this `Mutex` hides the original. In
/// a separate module, it would be ambiguous in files that import `Synchronization`.
// `@unchecked` is safe, because `value` is accessed only while `mutex` is locked.
struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Allocated on the heap, because neither a mutex nor memory that the sanitizer watches may move.
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
