import AudioCore
import AudioThreads
import FilePaths
import SoundFile
import VirtualSoundCard

/// A file as the input of a virtual microphone.
final class FileMicrophone: @unchecked Sendable {
  // Right because one thread at a time uses the reader: the thread that opens the file, and after
  // it has ended, the audio thread of the one card that captures it.
  private let reader: SoundFileReader
  private let path: FilePath
  private let onProblem: @Sendable (FileProblem) -> Void

  private init(path: FilePath, onProblem: @escaping @Sendable (FileProblem) -> Void) throws {
    self.path = path
    reader = try SoundFileReader(url: path.url)
    self.onProblem = onProblem
  }

  /// Opens the file on a thread of its own, because a pipe blocks until it has a writer.
  ///
  /// - Throws: `SoundFileError`, `ThreadError`, and `CancellationError`.
  static func open(
    path: FilePath, onProblem: @escaping @Sendable (FileProblem) -> Void
  ) async throws -> FileMicrophone {
    try await DedicatedThread.run(name: "syrinx-open") {
      try FileMicrophone(path: path, onProblem: onProblem)
    }
  }

  /// The microphone that captures the file once.
  var microphone: VirtualMicrophone {
    VirtualMicrophone(format: reader.format) { _ in { samples, _ in self.read(into: samples) } }
  }

  private func read(into samples: UnsafeMutableBufferPointer<Float>) -> FrameCount {
    do throws(SoundFileError) {
      let count = try reader.read(into: samples)
      if let shortfall = reader.shortfall { onProblem(.shortfall(shortfall, file: path)) }
      return count
    } catch {
      onProblem(.failure(error))
      return 0
    }
  }
}
