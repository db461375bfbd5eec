import AudioCore
import Foundation
import Glibc

/// A named pipe into which a test writes parts of a WAV file.
final class NamedPipe: Sendable {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("syrinx-\(UUID().uuidString).pipe")
  private let wav: Data
  private let frameCount: Int

  /// - Parameter sound: the whole content of the file.
  init(_ sound: AudioBuffer) throws {
    let file = try temporaryWAV(sound)
    defer { try? FileManager.default.removeItem(at: file) }
    frameCount = sound.frameCount.rawValue
    wav = try Data(contentsOf: file)
    guard mkfifo(url.path, 0o600) == 0 else { throw POSIXError(.EIO) }
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Opens a writer that does not wait for a reader.
  ///
  /// The handle is also open for reading, so that nothing is lost before the player opens the pipe.
  func open() throws -> FileHandle {
    try FileHandle(forUpdating: url)
  }

  /// Returns the bytes of the header and of the first `frames` frames.
  func bytes(_ frames: Int) -> Data {
    wav.prefix(wav.count - 4 * (frameCount - frames))
  }

  /// Returns the bytes of the frame `frame` and of all later frames.
  func rest(from frame: Int) -> Data {
    wav.dropFirst(bytes(frame).count)
  }

  /// Waits up to ten seconds until the pipe has no reader; returns false if it still has one.
  func isLeft() -> Bool {
    let descriptor = Glibc.open(url.path, O_WRONLY | O_NONBLOCK)
    guard descriptor >= 0 else { return errno == ENXIO }
    defer { close(descriptor) }
    var request = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&request, 1, 10_000) == 1
  }
}
