import AudioCore
import FilePaths
import SoundFile
import Synchronization

/// Shows the level of the microphone's audio on the terminal.
actor InputMeter {
  private let console: Console
  private var levels = LevelMeter(every: .milliseconds(100))
  private var meter = LevelMeterLine()

  init(console: Console) {
    self.console = console
  }

  /// Returns the same buffers, and shows the level of each buffer as it is read.
  nonisolated func showing(
    _ buffers: some AsyncSequence<AudioBuffer, any Error> & Sendable
  ) -> any AsyncSequence<AudioBuffer, any Error> & Sendable {
    buffers.map { buffer in
      await self.show(buffer)
      return buffer
    }
  }

  private func show(_ buffer: AudioBuffer) async {
    let rate = buffer.format.sampleRate
    for reading in levels.process(buffer) {
      let label = reading.endFrame.duration(at: rate).clockText
      meter.update(reading, at: rate, label: label)
      await console.showMeter(meter)
    }
  }
}

/// Saves the recognizer's input to the file of `--keep`, so that word times apply to the file.
final class AudioSaver: Sendable {
  private let file: FilePath
  private let encoding: SoundFileEncoding
  private let console: Console
  // The lock is held to store or read the failure.
  private let failure = Mutex<(error: any Error, isReported: Bool)?>(nil)

  init(file: FilePath, console: Console) throws(SoundFileError) {
    self.file = file
    encoding = try SoundFileEncoding(pathExtension: file.pathExtension)
    self.console = console
  }

  /// Returns the same buffers, and writes each to the file until a write fails.
  func saving(
    _ buffers: some AsyncSequence<AudioBuffer, any Error> & Sendable
  ) -> any AsyncSequence<AudioBuffer, any Error> & Sendable {
    let policy = TeePolicy(
      failure: .continues { error in
        self.failure.withLock { $0 = (error, false) }
      })
    return buffers.teed(to: file.url, encoding: encoding, policy: policy).map { buffer in
      await self.report()
      return buffer
    }
  }

  /// Throws if the file is incomplete; call it after the last result.
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
