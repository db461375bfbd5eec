import AudioCore
import AudioRecorderClient
import Resampling

/// Converts captured blocks to the requested format, keeps gaps in place, and dates every block.
final class CaptureConverter {
  private let format: AudioFormat
  private let resampler: Resampler
  private var times: CaptureTimes
  /// The frame after the last converted one.
  private var end: FrameCount?
  /// Added to the resampler's frame numbers: after a gap shorter than a frame, the held-back frames
  /// may overlap the next ones.
  private var shift: FrameCount = 0

  init(from device: AudioFormat, to format: AudioFormat) throws(ResamplingError) {
    self.format = format
    resampler = try Resampler(from: device, to: format)
    times = CaptureTimes(rate: format.sampleRate)
  }

  /// Converts a block; before a gap come the held-back frames, and the block after it has the gap.
  func convert(_ captured: DeviceAudio) throws(ResamplingError) -> [CapturedAudio] {
    guard captured.lost > 0 else {
      times.note(captured)
      let buffer = try resampler.process(captured.buffer)
      return buffer.isEmpty ? [] : [placed(buffer)]
    }
    let rest = try finish()
    try resampler.reset()
    times.note(captured)
    let buffer = try resampler.process(captured.buffer)
    shift = max(0, (end ?? 0) - buffer.firstFrame)
    let from = captured.buffer.format.sampleRate
    // Counted between converted frames, so that lost and captured frames add up.
    let lost =
      end.map { buffer.firstFrame + shift - $0 }
      ?? captured.lost.converted(from: from, to: format.sampleRate)
    return [rest, placed(buffer, gap: CaptureGap(lost: lost))].compactMap(\.self)
  }

  /// The frames that were held back at the end.
  func finish() throws(ResamplingError) -> CapturedAudio? {
    let rest = try resampler.finish()
    return rest.isEmpty ? nil : placed(rest)
  }

  private func placed(_ buffer: AudioBuffer, gap: CaptureGap? = nil) -> CapturedAudio {
    var buffer = buffer
    buffer.firstFrame += shift
    end = buffer.endFrame
    return CapturedAudio(
      buffer: buffer, time: times.take(buffer.frameCount), gap: gap,
      capturedAt: times.capturedAt(buffer.firstFrame))
  }
}

/// The capture times of converted frames, since the capture began.
///
/// The device's clock counts at the beginning and after each gap, and the number of frames in between:
/// a converter holds frames back, and a wake-up may be late.
struct CaptureTimes {
  private let rate: SampleRate
  /// The device's time when the capture began.
  private var began: Duration?
  private var start = Duration.zero
  private var framesSinceStart: FrameCount = 0
  /// The offset by frames and the device's time of the last block.
  private var last = (offset: Duration.zero, time: Duration.zero)

  init(rate: SampleRate) {
    self.rate = rate
  }

  /// Notes a captured block.
  mutating func note(_ captured: DeviceAudio) {
    let lost = captured.lost.duration(at: captured.buffer.format.sampleRate)
    let offset = captured.buffer.firstFrame.duration(at: captured.buffer.format.sampleRate)
    last = (offset, captured.time)
    if began == nil { began = captured.time - lost }
    guard captured.lost > 0, let began else { return }
    // Time never goes back, even if the estimate of the loss was too low.
    start = max(next, captured.time - began)
    framesSinceStart = 0
  }

  /// The time of the first of the next `frames`.
  mutating func take(_ frames: FrameCount) -> Duration {
    defer { framesSinceStart += frames }
    return next
  }

  /// When this frame was captured, in the device's time.
  func capturedAt(_ frame: FrameCount) -> Duration {
    max(.zero, last.time + frame.duration(at: rate) - last.offset)
  }

  private var next: Duration { start + framesSinceStart.duration(at: rate) }
}
