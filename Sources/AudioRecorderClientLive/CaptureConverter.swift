import AudioCore
import AudioRecorderClient
import Resampling

/// Converts captured blocks to the format that was asked for, keeps gaps where they were, and says
/// of every block when it was captured.
final class CaptureConverter {
  private let format: AudioFormat
  private let resampler: Resampler
  private var times: CaptureTimes
  /// The end of what came out.
  private var end: FrameCount?
  /// How far what the resampler numbers has to be moved: in a gap that is shorter than a frame,
  /// what was held back before it may reach beyond what comes after it.
  private var shift: FrameCount = 0

  init(from device: AudioFormat, to format: AudioFormat) throws(ResamplingError) {
    self.format = format
    resampler = try Resampler(from: device, to: format)
    times = CaptureTimes(rate: format.sampleRate)
  }

  /// The blocks that a block gives: before a gap, what was held back; after it, the gap's mark.
  func convert(_ captured: DeviceAudio) throws(ResamplingError) -> [CapturedAudio] {
    guard captured.lost > 0 else {
      times.heard(captured)
      let buffer = try resampler.process(captured.buffer)
      return buffer.isEmpty ? [] : [placed(buffer)]
    }
    let rest = try finish()
    try resampler.reset()
    times.heard(captured)
    let buffer = try resampler.process(captured.buffer)
    shift = max(0, (end ?? 0) - buffer.firstFrame)
    let from = captured.buffer.format.sampleRate
    // Counted between what comes out, so that lost frames and heard ones add up.
    let lost =
      end.map { buffer.firstFrame + shift - $0 }
      ?? captured.lost.converted(from: from, to: format.sampleRate)
    return [rest, placed(buffer, gap: CaptureGap(lost: lost))].compactMap(\.self)
  }

  /// What was held back at the end.
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

/// When the frames that come out of a converter were captured, since the capture began.
///
/// The device's clock is asked at the beginning and after each gap; from there on the frames count,
/// because a converter holds frames back and the moment of a wake-up says little.
struct CaptureTimes {
  private let rate: SampleRate
  /// The device's time when the capture began.
  private var began: Duration?
  private var start = Duration.zero
  private var framesSinceStart: FrameCount = 0
  /// The place on the time-line of frames and the device's time of the block that came last.
  private var last = (place: Duration.zero, time: Duration.zero)

  init(rate: SampleRate) {
    self.rate = rate
  }

  /// Takes note of a block that the device gave.
  mutating func heard(_ captured: DeviceAudio) {
    let lost = captured.lost.duration(at: captured.buffer.format.sampleRate)
    let place = captured.buffer.firstFrame.duration(at: captured.buffer.format.sampleRate)
    last = (place, captured.time)
    if began == nil { began = captured.time - lost }
    guard captured.lost > 0, let began else { return }
    // Time never goes back, also where the guess of what was lost was too low.
    start = max(next, captured.time - began)
    framesSinceStart = 0
  }

  /// The time of the first of so many frames.
  mutating func take(_ frames: FrameCount) -> Duration {
    defer { framesSinceStart += frames }
    return next
  }

  /// When this frame was captured, in the device's time.
  func capturedAt(_ frame: FrameCount) -> Duration {
    max(.zero, last.time + frame.duration(at: rate) - last.place)
  }

  private var next: Duration { start + framesSinceStart.duration(at: rate) }
}
