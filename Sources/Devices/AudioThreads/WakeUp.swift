import CLinux
import Glibc
import Synchronization

/// A Linux eventfd that one thread sleeps on and any thread can signal.
///
/// Thread safety: `signal` neither allocates nor blocks, so the audio thread may call it.
public final class WakeUp: Sendable {
  /// The eventfd, for `poll`; readable while a signal is pending.
  public let fileDescriptor: Int32

  /// Creates the descriptor; the corresponding C function is `eventfd`.
  ///
  /// - Throws: `SystemError` if the process has no descriptor left.
  public init() throws(SystemError) {
    fileDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard fileDescriptor >= 0 else {
      throw SystemError(failure: "no descriptor could be opened", code: errno)
    }
  }

  deinit {
    close(fileDescriptor)
  }

  /// Wakes the sleeping thread, now or at its next `wait`; several signals wake it once.
  public func signal() {
    // EAGAIN means that 2^64 − 2 signals are pending, so the thread will wake anyway.
    eventfd_write(fileDescriptor, 1)
  }

  /// Clears a pending signal without waiting; returns false if there is none.
  @discardableResult
  public func clear() -> Bool {
    var count = eventfd_t()
    return eventfd_read(fileDescriptor, &count) == 0
  }

  /// Blocks the calling thread until there is a signal, which stays pending.
  ///
  /// The corresponding C function is `ppoll`, whose timeout is more precise than milliseconds.
  ///
  /// - Returns: false on timeout.
  package func isSignaled(within nanoseconds: Int64) -> Bool {
    var descriptor = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    return syrinx_poll_one(&descriptor, max(0, nanoseconds)) != 0
  }

  /// Blocks the calling thread until this or `other` is signaled, and clears both.
  ///
  /// It may also return when neither is signaled. The corresponding C function is `poll`.
  ///
  /// - Returns: true if this one was signaled, whether or not `other` was.
  package func wait(or other: WakeUp) -> Bool {
    var descriptors = (
      pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: other.fileDescriptor, events: Int16(POLLIN), revents: 0)
    )
    // A homogeneous tuple has the memory layout of the array that `poll` expects.
    _ = withUnsafeMutableBytes(of: &descriptors) { bytes in
      poll(bytes.bindMemory(to: pollfd.self).baseAddress, 2, -1)
    }
    other.clear()
    return clear()
  }

  /// Blocks the calling thread until a signal, for at most `timeout`, and clears the signal.
  ///
  /// - Returns: false on timeout.
  @discardableResult
  public func wait(atMost timeout: Duration? = nil) -> Bool {
    var descriptor = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    let deadline = timeout.map { ContinuousClock.now + $0 }
    while true {
      let left = deadline.map { pollTimeout(ContinuousClock.now.duration(to: $0)) } ?? -1
      let ready = poll(&descriptor, 1, left)
      if ready > 0 { return clear() }
      if ready == 0 || errno != EINTR { return false }
    }
  }
}

/// Returns a timeout for `poll` in milliseconds, rounded up.
public func pollTimeout(_ duration: Duration) -> Int32 {
  let milliseconds = (max(.zero, duration).inMilliseconds).rounded(.up)
  return Int32(min(milliseconds, Double(Int32.max)))
}

extension Duration {
  fileprivate var inMilliseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
  }
}

/// A signal that one task sleeps on and any thread but the audio thread can send.
package final class TaskWakeUp: Sendable {
  // The lock is held for a few instructions; the task is resumed after its release.
  private let state = Mutex<(isSignaled: Bool, waiting: CheckedContinuation<Void, Never>?)>(
    (false, nil))

  /// Creates a wake-up without a signal.
  package init() {}

  /// Wakes the sleeping task, now or at its next `wait`; several signals wake it once.
  package func signal() {
    let waiting = state.withLock { state in
      state.isSignaled = state.waiting == nil
      return state.waiting.take()
    }
    waiting?.resume()
  }

  /// Returns when there is a signal, and clears it; cancellation does not end the wait.
  package nonisolated(nonsending) func wait() async {
    await withCheckedContinuation { continuation in
      let isSignaled = state.withLock { state in
        defer { state.isSignaled = false }
        if !state.isSignaled { state.waiting = continuation }
        return state.isSignaled
      }
      if isSignaled { continuation.resume() }
    }
  }
}

/// A flag with which a thread requests a wake-up before it sleeps; the other thread signals only if
/// the flag is set.
///
/// After `make`, the requesting thread must check its condition once more before it sleeps.
///
/// Thread safety: both methods are atomic; the audio thread may call them.
public final class WakeUpRequest: Sendable {
  private let isMade = Atomic<Bool>(false)

  /// Creates an object without a pending request.
  public init() {}

  /// Requests a wake-up.
  public func make() {
    isMade.store(true, ordering: .sequentiallyConsistent)
    // The caller's next check must not be reordered before this store.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  /// Removes the request; returns false if there was none.
  public func consume() -> Bool {
    // If this call does not see the request, the caller of `make` must see the earlier writes of
    // this thread.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return isMade.exchange(false, ordering: .sequentiallyConsistent)
  }
}
