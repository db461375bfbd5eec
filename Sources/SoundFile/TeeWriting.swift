import AudioCore
import AudioThreads
import FoundationEssentials

/// A file that is opened, written and closed on a thread of its own, as the machine says.
actor TeeWriting {
  /// The thread that all of it happens on.
  nonisolated let executor: ThreadExecutor

  private static let longestSilence: FrameCount = 4_096

  private let url: URL
  private let encoding: SoundFileEncoding
  private var machine: TeeMachine
  private var writer: SoundFileWriter?

  init(url: URL, encoding: SoundFileEncoding, gaps: TeePolicy.Gaps) throws {
    executor = try ThreadExecutor(name: "syrinx-tee")
    self.url = url
    self.encoding = encoding
    machine = TeeMachine(gaps: gaps)
  }

  // A consumer that goes away leaves a complete file, which is closed on the thread as well.
  isolated deinit {
    writer = nil
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Writes a buffer; where that fails the file is closed before the error is told.
  ///
  /// A cancelled task gets `CancellationError` where there is a gap to be filled, however long.
  func take(_ buffer: AudioBuffer) throws {
    do {
      for action in machine.take(buffer) { try perform(action) }
    } catch {
      closeAfterFailure()
      throw error
    }
  }

  /// Completes the file, if there is one.
  func finish() throws {
    for action in machine.end() { try perform(action) }
  }

  private func perform(_ action: TeeMachine.Action) throws {
    switch action {
    case .open(let format):
      writer = try SoundFileWriter(url: url, format: format, encoding: encoding)
    case .write(let buffer): try writer?.write(buffer)
    case .silence(let count): try writeSilence(count)
    case .close: try writer.take()?.close()
    }
  }

  private func writeSilence(_ count: FrameCount) throws {
    guard let writer else { return }
    var rest = count
    let block = AudioBuffer(silence: min(rest, Self.longestSilence), format: writer.format)
    while rest > 0 {
      try Task.checkCancellation()
      try writer.write(rest < block.frameCount ? block.frames(0..<rest) : block)
      rest -= block.frameCount
    }
  }

  private func closeAfterFailure() {
    _ = machine.end()
    // The first error tells more than that of closing what is incomplete.
    try? writer.take()?.close()
  }
}
