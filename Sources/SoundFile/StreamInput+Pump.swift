import AudioThreads
import Glibc

extension StreamInput {
  /// A pipe of our own with the same bytes, the first ones included.
  ///
  /// A thread carries them over. It costs little, and gives what a read of the stream itself
  /// cannot: the first bytes can be looked at, and libsndfile, blocked in a read, sees the end when
  /// we say so.
  func pumped(after firstBytes: [UInt8]) throws(SoundFileError) -> Descriptor {
    let (outlet, inlet) = try Descriptor.pipe(path: path)
    do {
      _ = try DedicatedThread.start(name: "syrinx-pipe") {
        pump(into: inlet, firstBytes: firstBytes)
      }
    } catch {
      throw .cannotRead(path: path, reason: "\(error)")
    }
    return outlet
  }

  /// Ends with the stream, when interrupted, or when nobody reads any more; signals are blocked on
  /// this thread, so a pipe without a reader is an error code and no SIGPIPE.
  private func pump(into inlet: Descriptor, firstBytes: [UInt8]) {
    var code = writeAll(firstBytes, to: inlet.number)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while code == 0 && wait(outlet: inlet.number) {
      let size = read(source.number, &buffer, buffer.count)
      if size < 0 && (errno == EAGAIN || errno == EINTR) { continue }
      guard size > 0 else { return }
      code = buffer.withUnsafeBytes { writeAll($0[..<size], to: inlet.number) }
    }
  }
}
