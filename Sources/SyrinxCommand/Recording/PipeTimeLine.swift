import AudioCore
import AudioRecorderClient

/// What of a capture goes into a stream: silence for what was lost, and no more than was asked for.
struct PipeTimeLine {
  /// A part of the stream.
  enum Part: Equatable {
    case silence(FrameCount)
    case audio(AudioBuffer)
  }

  private let length: Duration?
  /// The frames given so far.
  private(set) var frameCount: FrameCount = 0

  init(length: Duration?) {
    self.length = length
  }

  /// The parts that a block gives; silence comes by the second, so that a long gap takes no memory.
  mutating func parts(of captured: CapturedAudio) -> [Part] {
    let rate = captured.buffer.format.sampleRate
    let second = FrameCount(rate.hertz)
    var parts: [Part] = []
    var missing = min(captured.gap?.lost ?? 0, room(at: rate))
    frameCount = frameCount + missing
    while missing > 0 {
      parts.append(.silence(min(missing, second)))
      missing = missing - min(missing, second)
    }
    let kept = min(captured.buffer.frameCount, room(at: rate))
    if kept > 0 { parts.append(.audio(captured.buffer.frames(0..<kept))) }
    frameCount = frameCount + kept
    return parts
  }

  /// Whether nothing more goes in.
  func isFull(at rate: SampleRate) -> Bool { room(at: rate) == 0 }

  private func room(at rate: SampleRate) -> FrameCount {
    guard let length else { return FrameCount(.max) }
    return max(0, FrameCount(length, at: rate) - frameCount)
  }
}
