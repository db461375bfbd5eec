import AudioCore
import AudioRecorderClient
import AudioThreads
import FoundationEssentials
import SoundFile
import Synchronization

/// The completion of a file on a thread of its own: the disk may take its time over it while the
/// next file is written.
// `@unchecked Sendable` is right because the writer belongs to one thread at a time: to the one
// that completes the file, and from `isOver` on to the one that began it.
final class FileClosing: @unchecked Sendable {
  typealias Closing = @Sendable (SoundFileWriter) throws(SoundFileError) -> Void

  let url: URL
  /// The frames that were written into the file.
  let frameCount: FrameCount
  private let writer: SoundFileWriter
  private let closing: Closing
  /// Nil where the thread that began it completes the file itself, because the system has no other.
  private let ended: WakeUp?
  private let outcome = Mutex<Result<Void, SoundFileError>?>(nil)

  init(_ writer: SoundFileWriter, url: URL, closing: @escaping Closing) {
    (self.writer, self.url, self.closing) = (writer, url, closing)
    frameCount = writer.framesWritten
    ended = try? WakeUp()
  }

  /// Whether the file is complete, or could not be completed.
  var isOver: Bool { outcome.withLock { $0 != nil } }

  /// Begins; `completed` is called with the frames that can be read from the file, once they can.
  func start(completed: @escaping @Sendable (FrameCount) -> Void) {
    let thread = ended.flatMap { ended in
      try? DedicatedThread.start(name: "syrinx-close") { [self] in
        close(completed)
        ended.signal()
      }
    }
    if thread == nil { close(completed) }
  }

  /// Waits for its end; returns how many of the frames cannot be read from the file.
  func wait() -> FrameCount {
    while !isOver { ended?.wait() }
    return frameCount - writer.framesWritten
  }

  /// Throws why the file could not be completed.
  func check() throws(AudioRecorderError) {
    guard case .failure(let error) = outcome.withLock({ $0 }) else { return }
    throw AudioRecorderError(error, file: url)
  }

  private func close(_ completed: (FrameCount) -> Void) {
    let result: Result<Void, SoundFileError>
    do throws(SoundFileError) {
      try closing(writer)
      completed(writer.framesWritten)
      result = .success(())
    } catch {
      result = .failure(error)
    }
    outcome.withLock { $0 = result }
  }
}
