import AudioCore
import FilePaths
import SoundFile
import Synchronization

/// The file of `listen --keep`: what the recogniser hears, on the same time-line.
final class KeptAudio: Sendable {
  private struct Failure {
    let error: any Error
    var isReported = false
  }

  private let file: FilePath
  private let encoding: SoundFileEncoding
  private let console: Console
  // Held to note the one failure and to look at it.
  private let failure = Mutex<Failure?>(nil)

  init(file: FilePath, console: Console) throws(SoundFileError) {
    self.file = file
    encoding = try SoundFileEncoding(pathExtension: file.pathExtension)
    self.console = console
  }

  /// The same buffers, written on their way; where that fails, they go on alone.
  func keeping(
    _ buffers: some AsyncSequence<AudioBuffer, any Error> & Sendable
  ) -> some AsyncSequence<AudioBuffer, any Error> & Sendable {
    let policy = TeePolicy(
      failure: .goesOn { error in
        self.failure.withLock { $0 = Failure(error: error) }
      })
    return buffers.teed(to: file.url, encoding: encoding, policy: policy).map { buffer in
      await self.report()
      return buffer
    }
  }

  /// Throws where the file is not complete; to be called when the last result has come.
  func finish() async throws(CommandEnd) {
    await report()
    if failure.withLock({ $0 != nil }) { throw .reported }
  }

  private func report() async {
    let error = failure.withLock { failure in
      defer { failure?.isReported = true }
      return failure?.isReported == false ? failure?.error : nil
    }
    guard let error else { return }
    await console.report("the audio is no longer kept: \(error)")
  }
}
