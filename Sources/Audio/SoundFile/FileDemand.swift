import AudioCore
import AudioThreads
import Synchronization

/// Opens a file at the first request; releases it at the end, after an error, or on cancellation.
final class FileDemand: Sendable {
  private let framesPerBuffer: FrameCount
  private let open: FileReading.Opening
  // The lock is held for a change of the state and the start of the thread, never during a read.
  private let state = Mutex<(reading: FileReading?, isOver: Bool)>((nil, false))

  init(framesPerBuffer: FrameCount, open: @escaping FileReading.Opening) {
    self.framesPerBuffer = framesPerBuffer
    self.open = open
  }

  deinit {
    finish()
  }

  /// The reading thread, while it exists.
  var thread: DedicatedThread? { state.withLock { $0.reading?.executor.thread } }

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
      guard !state.isOver else { return nil }
      let reading = try state.reading ?? FileReading(open: open)
      state.reading = reading
      return reading
    }
  }

  private func finish() {
    let reading = state.withLock { state -> FileReading? in
      defer { state = (nil, true) }
      return state.reading
    }
    reading?.interruption.signal()
  }
}
