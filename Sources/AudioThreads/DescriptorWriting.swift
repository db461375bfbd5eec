import Glibc

/// Writes every byte to a descriptor, in as many parts as it takes; 0, or the `errno` of the
/// failure.
///
/// It blocks until the reader of a pipe makes room, also where the descriptor itself does not
/// block. The corresponding C functions are `write` and `poll`.
///
/// - Parameter hurry: once it is signalled, a reader that takes nothing for a second is waited for
///   no longer, and the failure is `ETIMEDOUT`.
package func writeAll(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, hurry: WakeUp? = nil
) -> Int32 {
  var rest = bytes[...]
  while !rest.isEmpty {
    if let hurry, !hasRoom(descriptor, hurry) { return ETIMEDOUT }
    // A pipe with any room has it for so much: writing blocks no more.
    let part = hurry == nil ? rest : rest.prefix(Int(PIPE_BUF))
    let written = write(descriptor, UnsafeRawBufferPointer(rebasing: part).baseAddress, part.count)
    if written >= 0 {
      rest = rest.dropFirst(written)
    } else if errno == EAGAIN {
      if hurry == nil { wait(for: pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)) }
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}

/// Waits for room; false where there was none for a second although there is hurry.
private func hasRoom(_ descriptor: Int32, _ hurry: WakeUp) -> Bool {
  let room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  // What is wrong with the descriptor counts as room: writing tells.
  if wait(for: room, pollfd(fd: hurry.fileDescriptor, events: Int16(POLLIN), revents: 0)) {
    return true
  }
  return wait(for: room, atMost: 1_000)
}

/// Waits for either; whether the first has something to say.
@discardableResult
private func wait(
  for first: pollfd, _ second: pollfd? = nil, atMost milliseconds: Int32 = -1
) -> Bool {
  var descriptors = [first]
  if let second { descriptors.append(second) }
  // A signal of the system is no news.
  while poll(&descriptors, nfds_t(descriptors.count), milliseconds) < 0 && errno == EINTR {}
  return descriptors[0].revents != 0
}
