import AudioCore
import AudioThreads
import SoundFile

/// Writes a WAV stream, or its samples alone, on a thread of its own, because a pipe makes its
/// writer wait.
actor PipeWriter {
  private let executor: ThreadExecutor
  private let descriptor: StandardDescriptor
  private let samples: SoundFileEncoding.SampleFormat
  private let isRaw: Bool
  private let hurry: WakeUp?
  private var writer: StreamingWAVWriter?

  /// - Parameter hurry: once it is signalled, a reader that takes nothing for a second is waited
  ///   for no longer.
  init(
    _ descriptor: StandardDescriptor = .output, samples: SoundFileEncoding.SampleFormat = .int16,
    isRaw: Bool = false, hurry: WakeUp? = nil
  ) throws {
    executor = try ThreadExecutor(name: "syrinx-pipe")
    (self.descriptor, self.samples, self.isRaw) = (descriptor, samples, isRaw)
    self.hurry = hurry
  }

  isolated deinit {
    writer = nil
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Writes the parts in the format; the first call writes the header before them.
  ///
  /// - Throws: `SoundFileError`.
  func write(_ parts: [PipeTimeLine.Part], format: AudioFormat) throws {
    let writer = try self.writer ?? begin(format)
    for part in parts {
      switch part {
      case .silence(let count): try writer.write(AudioBuffer(silence: count, format: format))
      case .audio(let buffer): try writer.write(buffer)
      }
    }
  }

  private func begin(_ format: AudioFormat) throws(SoundFileError) -> StreamingWAVWriter {
    let writer = try StreamingWAVWriter(
      fileDescriptor: descriptor.rawValue, name: descriptor.name, format: format,
      samples: samples, isRaw: isRaw, hurry: hurry)
    self.writer = writer
    return writer
  }
}
