import AudioThreads
import Glibc

/// Two directions of bytes that never block but in `wait`, which ends in time.
final class ByteLink {
  private var input: Int32
  private var output: Int32
  /// What ends every wait with `.interrupted`, now and later.
  var interruption: WakeUp?

  /// Takes over a connected socket.
  convenience init(owning socket: Int32) {
    self.init(input: socket, output: socket)
  }

  /// Takes over what can be read from and a socket that can be written to.
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

  /// What can be done without waiting.
  struct Readiness {
    let canRead: Bool
    let canWrite: Bool
  }

  /// Waits until there is something to read, its end included, or room to write where that is asked
  /// for; with no budget at all it only looks.
  func wait(toWrite: Bool, within budget: TimeBudget) throws(LinkTrouble) -> Readiness {
    guard input >= 0 else { throw .system(EBADF) }
    var requests = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: toWrite ? output : -1, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: interruption?.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&requests, nfds_t(requests.count), pollTimeout(budget.left))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system(errno) }
      guard requests[2].revents == 0 else { throw .interrupted }
      guard count > 0 || budget.whole == .zero else { throw .tookTooLong(budget.whole) }
      // An end and an error can be read, and written to: that says which it is.
      return Readiness(canRead: requests[0].revents != 0, canWrite: requests[1].revents != 0)
    }
  }

  /// The bytes that are there, none at the end; nil where `wait` was mistaken, as `poll` may be.
  func read() throws(LinkTrouble) -> [UInt8]? {
    // Within an array's initialiser the count can only be told, not thrown.
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

  /// Writes as many of the bytes as there is room for, and gives their number.
  func write(_ bytes: ArraySlice<UInt8>) throws(LinkTrouble) -> Int {
    let sent = bytes.withUnsafeBytes { bytes in
      send(output, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
    if sent < 0, errno == EAGAIN || errno == EINTR { return 0 }
    guard sent >= 0 else { throw .system(errno) }
    return sent
  }
}
