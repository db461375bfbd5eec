import AudioCore
import AudioRecorderClient

/// Cuts captured blocks to one size; the one before a gap and the last one may be shorter.
struct CaptureRechunker {
  private var rechunker: Rechunker
  /// The blocks, without their frames, whose frames are held back; one more before them.
  private var marks: [CapturedAudio] = []

  /// - Parameter size: above 0.
  init(size: FrameCount) {
    rechunker = Rechunker(size: size)
  }

  mutating func take(_ captured: CapturedAudio) -> [CapturedAudio] {
    // A gap at the very end has no frames after it.
    guard !captured.buffer.isEmpty else { return finish() + [captured] }
    let buffers = rechunker.take(captured.buffer)
    var mark = captured
    mark.buffer = AudioBuffer(
      silence: 0, format: captured.buffer.format, firstFrame: captured.buffer.firstFrame)
    marks.append(mark)
    return buffers.map { marked($0) }
  }

  mutating func finish() -> [CapturedAudio] {
    rechunker.finish().map { marked($0) }
  }

  /// The buffer with the times of the block in which it begins, and what was said of its first
  /// frame.
  private mutating func marked(_ buffer: AudioBuffer) -> CapturedAudio {
    while marks.count > 1, marks[1].buffer.firstFrame <= buffer.firstFrame { marks.removeFirst() }
    let mark = marks[0]
    let begun = buffer.firstFrame == mark.buffer.firstFrame
    let since = (buffer.firstFrame - mark.buffer.firstFrame).duration(at: buffer.format.sampleRate)
    return CapturedAudio(
      buffer: buffer, time: mark.time + since, gap: begun ? mark.gap : nil,
      capturedAt: mark.capturedAt + since)
  }
}
