import AudioThreads
import Glibc

/// A nonblocking byte stream in both directions; only `wait` blocks, up to a deadline.
final class ByteLink {
  private var input: Int32
  private var output: Int32
  /// Once signaled, ends every wait with `.interrupted`; nil for an idle link.
  var interruption: WakeUp?

  /// Takes ownership of a connected socket.
  convenience init(owning socket: Int32, interruption: WakeUp? = nil) {
    self.init(input: socket, output: socket)
    self.interruption = interruption
  }

  /// Takes ownership of a descriptor to read from and a socket to write to.
  init(input: Int32, output: Int32) {
    (self.input, self.output) = (input, output)
    for descriptor in [input, output] {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
  }

  deinit {
    close()
  }

  /// Ends the connection; further calls throw `EBADF`.
  func close() {
    for descriptor in Set([input, output]) where descriptor >= 0 { _ = Glibc.close(descriptor) }
    (input, output) = (-1, -1)
  }

  /// The operations that do not block now.
  struct Readiness {
    let canRead: Bool
    let canWrite: Bool
    var isAny: Bool { canRead || canWrite }
  }

  /// Waits until the link can be read (which includes its end) or, with `toWrite`, written; a budget of
  /// zero returns at once.
  func wait(toWrite: Bool, within budget: TimeBudget) throws(LinkError) -> Readiness {
    guard input >= 0 else { throw .system(EBADF) }
    var requests = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: toWrite ? output : -1, events: Int16(POLLOUT), revents: 0),
    ]
    let isReady = try poll(&requests, within: budget, until: interruption)
    guard isReady || budget.whole == .zero else { throw .timedOut(budget.whole) }
    // An end or an error makes a descriptor ready; reading or writing reports which it is.
    return Readiness(canRead: requests[0].revents != 0, canWrite: requests[1].revents != 0)
  }

  /// The available bytes; empty at the end, and nil if there are none, because `poll` may err.
  func read() throws(LinkError) -> [UInt8]? {
    // The initializer of an array cannot throw a typed error.
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      let received = Glibc.read(input, buffer.baseAddress, buffer.count)
      if received < 0 { failure = errno }
      count = max(0, received)
    }
    if failure == EAGAIN || failure == EINTR { return nil }
    guard failure == 0 else { throw .system(failure) }
    return bytes
  }

  /// Writes as many of the bytes as fit, and returns their number.
  func write(_ bytes: ArraySlice<UInt8>) throws(LinkError) -> Int {
    let sent = bytes.withUnsafeBytes { bytes in
      send(output, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
    if sent < 0, errno == EAGAIN || errno == EINTR { return 0 }
    guard sent >= 0 else { throw .system(errno) }
    return sent
  }
}

/// Blocks until one of the descriptors is ready; returns false on timeout.
///
/// - Throws: `.interrupted` once the interruption is signaled, which is not reset; `.system`.
func poll(
  _ requests: inout [pollfd], within budget: TimeBudget, until interruption: WakeUp?
) throws(LinkError) -> Bool {
  var all =
    requests + [pollfd(fd: interruption?.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0)]
  while true {
    let count = Glibc.poll(&all, nfds_t(all.count), pollTimeout(budget.left))
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw .system(errno) }
    if all.removeLast().revents != 0 { throw .interrupted }
    requests = all
    return count > 0
  }
}
