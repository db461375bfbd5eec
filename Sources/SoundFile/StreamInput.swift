import AudioThreads
import Glibc

/// A pipe, socket or terminal that audio comes from, bit by bit and for as long as its writer
/// likes.
struct StreamInput {
  let source: Descriptor
  let path: String
  /// Pending from the moment when nobody wants the audio any more; it is never taken.
  let interruption: WakeUp

  /// Waits for some bytes; none at the end, or where the reading was interrupted.
  func next(atMost count: Int) throws(SoundFileError) -> [UInt8] {
    while wait() {
      var code: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
        let result = read(source.number, buffer.baseAddress, count)
        if result < 0 { code = errno }
        size = max(0, result)
      }
      switch code {
      case 0: return bytes
      case EAGAIN, EINTR: continue
      default: throw SystemErrors.reading(path, code: code)
      }
    }
    return []
  }

  /// Waits until there is something to read; false where the reading was interrupted, or `outlet`,
  /// a pipe that the bytes go to, has lost its reader.
  func wait(outlet: Int32 = -1) -> Bool {
    var descriptors = [
      pollfd(fd: source.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interruption.fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: outlet, events: 0, revents: 0),
    ]
    while poll(&descriptors, 3, -1) < 0 && errno == EINTR {}
    return descriptors[1].revents == 0 && descriptors[2].revents == 0
  }
}
