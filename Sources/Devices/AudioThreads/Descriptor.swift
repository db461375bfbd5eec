import CLinux
import Glibc

/// The owner of a file descriptor, which is closed when the last reference is released.
package final class Descriptor: Sendable {
  /// The descriptor's number.
  package let number: Int32

  private let isOwner: Bool

  /// Takes ownership of an open descriptor.
  package init(owning number: Int32) {
    (self.number, isOwner) = (number, true)
  }

  /// Refers to a descriptor that the caller owns and must keep open.
  package init(borrowing number: Int32) {
    (self.number, isOwner) = (number, false)
  }

  deinit {
    if isOwner { close(number) }
  }

  /// Creates a pipe that child processes do not inherit.
  ///
  /// Bytes written to the inlet come out of the outlet. Returns nil and sets `errno` on failure.
  /// The corresponding C function is `pipe2`.
  package static func pipe() -> (outlet: Descriptor, inlet: Descriptor)? {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
    return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
  }
}

/// Writes all bytes to a descriptor and returns 0, or the `errno` value of the failure.
///
/// It blocks until the reader of a pipe makes room, even if the descriptor is non-blocking. The
/// corresponding C functions are `write` and `poll`.
///
/// Once `stopSignal` is signaled, the write fails with `ETIMEDOUT` if the reader reads nothing for
/// a second.
package func writeAll(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, stopSignal: WakeUp? = nil
) -> Int32 {
  var rest = bytes[...]
  while !rest.isEmpty {
    if let stopSignal, !hasRoom(descriptor, stopSignal) { return ETIMEDOUT }
    // A pipe that is ready has room for at least PIPE_BUF bytes, so this write does not block.
    let part = stopSignal == nil ? rest : rest.prefix(Int(PIPE_BUF))
    let written = write(descriptor, UnsafeRawBufferPointer(rebasing: part).baseAddress, part.count)
    if written >= 0 {
      rest = rest.dropFirst(written)
    } else if errno == EAGAIN {
      if stopSignal == nil { wait(for: pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)) }
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}

/// Waits for room; returns false if there is no room within a second after the stop signal.
private func hasRoom(_ descriptor: Int32, _ stopSignal: WakeUp) -> Bool {
  let room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  // A descriptor error counts as room: `write` reports it.
  if wait(for: room, pollfd(fd: stopSignal.fileDescriptor, events: Int16(POLLIN), revents: 0)) {
    return true
  }
  return wait(for: room, atMost: 1_000)
}

/// Waits for either descriptor and returns whether the first is ready.
@discardableResult
private func wait(
  for first: pollfd, _ second: pollfd? = nil, atMost milliseconds: Int32 = -1
) -> Bool {
  var descriptors = [first]
  if let second { descriptors.append(second) }
  // An interrupted call is repeated.
  while poll(&descriptors, nfds_t(descriptors.count), milliseconds) < 0 && errno == EINTR {}
  return descriptors[0].revents != 0
}
