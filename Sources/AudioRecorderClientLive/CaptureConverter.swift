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
