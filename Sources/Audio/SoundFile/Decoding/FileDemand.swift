import AudioCore
import AudioThreads
import Synchronization

/// Opens a file at the first demand and releases it at the end, after an error, or on cancellation.
final class FileDemand: Sendable {
  private enum State {
    case untouched
    case reading(FileReading)
    case over
  }

  private let framesPerBuffer: FrameCount
  private let open: FileReading.Opening
  private let onShortfall: @Sendable (SoundFileShortfall) -> Void
  private let onNotice: @Sendable (SoundFileNotice) -> Void
  // The lock is held for a change of the state and the start of the thread, never during a read.
  private let state = Mutex(State.untouched)

  init(
    framesPerBuffer: FrameCount, open: @escaping FileReading.Opening,
    onShortfall: @escaping @Sendable (SoundFileShortfall) -> Void = { _ in },
    onNotice: @escaping @Sendable (SoundFileNotice) -> Void = { _ in }
  ) {
    self.framesPerBuffer = framesPerBuffer
    self.open = open
    self.onShortfall = onShortfall
    self.onNotice = onNotice
  }

  deinit {
    finish()
  }

  /// The reading thread, while it exists.
  var thread: DedicatedThread? {
    state.withLock { state in
      guard case .reading(let reading) = state else { return nil }
      return reading.executor.thread
    }
  }

  /// Returns the next buffer; nil at the end and for a canceled consumer.
  func next() async throws -> AudioBuffer? {
    guard let reading = try begin() else { return nil }
    do {
      let buffer = try await withTaskCancellationHandler {
        try await reading.next(atMost: framesPerBuffer)
      } onCancel: {
        finish()
      }
      guard let buffer, !Task.isCancelled else {
        finish()
        return nil
      }
      return buffer
    } catch {
      finish()
      if Task.isCancelled { return nil }
      throw error
    }
  }

  private func begin() throws -> FileReading? {
    try state.withLock { state in
      switch state {
      case .over: return nil
      case .reading(let reading): return reading
      case .untouched:
        let reading = try FileReading(open: open, onShortfall: onShortfall, onNotice: onNotice)
        state = .reading(reading)
        return reading
      }
    }
  }

  private func finish() {
    let reading = state.withLock { state -> FileReading? in
      defer { state = .over }
      guard case .reading(let reading) = state else { return nil }
      return reading
    }
    reading?.interruption.signal()
  }
}
