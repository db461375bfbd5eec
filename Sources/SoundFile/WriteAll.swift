import Glibc

/// Writes every byte to a descriptor, in as many parts as it takes; 0, or the `errno` of the
/// failure.
///
/// Where the descriptor does not block, it waits for room.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if written >= 0 {
      rest = rest.dropFirst(written)
    } else if errno == EAGAIN {
      var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&room, 1, -1)
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}

/// The same for a part of a buffer.
func writeAll(_ bytes: Slice<UnsafeRawBufferPointer>, to descriptor: Int32) -> Int32 {
  writeAll(UnsafeRawBufferPointer(rebasing: bytes), to: descriptor)
}

/// The same for an array.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
}
