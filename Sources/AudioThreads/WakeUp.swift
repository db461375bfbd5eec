import CLinux
import Glibc

/// A descriptor that one thread sleeps on and any other can wake: Linux' eventfd.
///
/// Thread safety: `signal` neither allocates nor waits, so the card's thread may call it.
public final class WakeUp: Sendable {
  /// The eventfd, for `poll` beside other descriptors; readable while a signal is pending.
  public let fileDescriptor: Int32

  /// Makes the descriptor; the corresponding C function is `eventfd`.
  ///
  /// - Throws: `WakeUpError` where the process has no descriptor left.
  public init() throws(WakeUpError) {
    fileDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard fileDescriptor >= 0 else { throw WakeUpError(code: errno) }
  }

  deinit {
    close(fileDescriptor)
  }

  /// Wakes the sleeper, now or at its next `wait`; several signals wake it once.
  public func signal() {
    // EAGAIN means that 2^64 − 2 signals are pending: it will wake.
    eventfd_write(fileDescriptor, 1)
  }

  /// Takes a pending signal without waiting; false where there is none.
  @discardableResult
  public func clear() -> Bool {
    var count = eventfd_t()
    return eventfd_read(fileDescriptor, &count) == 0
  }

  /// Blocks the calling thread until there is a signal, at most so long, and leaves it pending;
  /// false where the time ran out.
  ///
  /// The corresponding C function is `ppoll`, which is more exact than a millisecond.
  package func isSignalled(within nanoseconds: Int64) -> Bool {
    var descriptor = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    return syrinx_poll_one(&descriptor, max(0, nanoseconds)) != 0
  }

  /// Blocks the calling thread until there is a signal here or at another, and takes both.
  ///
  /// It may return without any; the corresponding C function is `poll`.
  ///
  /// - Returns: whether there was one here.
  package func wait(or other: WakeUp) -> Bool {
    var descriptors = (
      pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: other.fileDescriptor, events: Int16(POLLIN), revents: 0)
    )
    // A tuple of two equal parts lies in memory as the array that `poll` wants.
    _ = withUnsafeMutableBytes(of: &descriptors) { bytes in
      poll(bytes.bindMemory(to: pollfd.self).baseAddress, 2, -1)
    }
    other.clear()
    return clear()
  }

  /// Blocks the calling thread until there is a signal, at most `timeout`, and takes it.
  ///
  /// - Returns: false where the time ran out.
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

/// A time-out for `poll` in milliseconds, rounded up so that it never returns before the time.
public func pollTimeout(_ duration: Duration) -> Int32 {
  let milliseconds = (max(.zero, duration).inMilliseconds).rounded(.up)
  return Int32(min(milliseconds, Double(Int32.max)))
}

/// No eventfd could be made, usually because of a limit (`ulimit -n`).
public struct WakeUpError: Error, Equatable, CustomStringConvertible {
  /// The `errno` value of `eventfd`.
  public let code: Int32

  /// A short text for people.
  public var description: String {
    "no descriptor could be opened: \(String(cString: strerror(code))) (errno \(code))"
  }
}

extension Duration {
  fileprivate var inMilliseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
  }
}
