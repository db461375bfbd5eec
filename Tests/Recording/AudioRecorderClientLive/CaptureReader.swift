import AudioCore
import AudioRecorderClient
import AudioThreads
import Synchronization

/// Reads a capture until it is canceled.
final class CaptureReader: Sendable {
  private let captured = Mutex<[CapturedAudio]>([])
  /// Opens when enough audio has been read, or the capture ends.
  let isDone = Gate()
  private let listening = Mutex<Task<Void, any Error>?>(nil)

  /// Begins to read `blocks`; opens `isDone` when `isEnough` returns true for the blocks so far.
  init(
    _ blocks: AsyncThrowingStream<CapturedAudio, any Error>,
    isEnough: @escaping @Sendable ([CapturedAudio]) -> Bool
  ) {
    let task = Task { [self] in
      defer { isDone.open() }
      for try await block in blocks {
        let all = captured.withLock { captured in
          captured.append(block)
          return captured
        }
        if isEnough(all) { isDone.open() }
      }
    }
    listening.withLock { $0 = task }
  }

  /// Cancels the capture and returns all its blocks.
  func stop() async throws -> [CapturedAudio] {
    let task = listening.withLock { $0 }
    task?.cancel()
    try await task?.value
    return captured.withLock { $0 }
  }
}

extension [CapturedAudio] {
  /// The index after the last captured frame.
  var endFrame: FrameCount { last?.buffer.endFrame ?? 0 }

  /// Whether each block begins at the previous block's end plus the block's own gap.
  var isOneTimeline: Bool {
    zip(self, dropFirst()).allSatisfy { block, next in
      next.buffer.firstFrame == block.buffer.endFrame + (next.gap?.lost ?? 0)
    }
  }

  /// The captured parts between gaps, each with its first frame and its samples.
  var stretches: [(first: Int, samples: [Float])] {
    reduce(into: []) { stretches, block in
      if stretches.isEmpty || block.gap != nil {
        stretches.append((block.buffer.firstFrame.rawValue, []))
      }
      stretches[stretches.count - 1].samples += block.buffer.samples
    }
  }
}
