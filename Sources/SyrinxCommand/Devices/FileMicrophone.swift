import AudioCore
import AudioThreads
import FilePaths
import SoundFile
import VirtualSoundCard

/// The ear of a virtual microphone: a file, read as it is heard.
final class FileMicrophone: @unchecked Sendable {
  // Right because the reader is used by one thread at a time: the one that opens the file, and when
  // that has ended, the thread of the one card that hears it.
  private let reader: SoundFileReader
  private let path: FilePath
  private let onTrouble: @Sendable (FileTrouble) -> Void

  private init(path: FilePath, onTrouble: @escaping @Sendable (FileTrouble) -> Void) throws {
    self.path = path
    reader = try SoundFileReader(url: path.url)
    self.onTrouble = onTrouble
  }

  /// Opens the file, which may take as long as a pipe's writer likes, on a thread of its own.
  ///
  /// - Throws: `SoundFileError`.
  static func open(
    path: FilePath, onTrouble: @escaping @Sendable (FileTrouble) -> Void
  ) async throws -> FileMicrophone {
    try await withCheckedThrowingContinuation { continuation in
      do {
        _ = try DedicatedThread.start(name: "syrinx-open") {
          continuation.resume(
            with: Result { try FileMicrophone(path: path, onTrouble: onTrouble) })
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// The microphone that hears the file, once.
  var microphone: VirtualMicrophone {
    VirtualMicrophone(format: reader.format) { _ in { samples, _ in self.hear(samples) } }
  }

  private func hear(_ samples: UnsafeMutableBufferPointer<Float>) -> FrameCount {
    do throws(SoundFileError) {
      let heard = try reader.read(into: samples)
      if let shortfall = reader.shortfall { onTrouble(.shortfall(shortfall, file: path)) }
      return heard
    } catch {
      onTrouble(.failure(error))
      return 0
    }
  }
}

/// What was wrong with a file that could be opened.
enum FileTrouble: Equatable, Sendable, CustomStringConvertible {
  /// Its end is missing.
  case shortfall(SoundFileShortfall, file: FilePath)
  /// A virtual microphone could not read it to its end.
  case failure(SoundFileError)

  /// A sentence for people.
  var description: String {
    switch self {
    case .shortfall(let shortfall, let file): "\(file) is incomplete: \(shortfall)"
    case .failure(let error): "the virtual microphone ended early: \(error)"
    }
  }
}
