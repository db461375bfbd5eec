import AudioCore
import AudioRecorderClient
import Resampling

/// Converts captured blocks to the format that was asked for, keeps gaps where they were, and says
/// of every block when it was captured.
final class CaptureConverter {
  private let format: AudioFormat
  private let resampler: Resampler
  private var times: CaptureTimes

  init(from device: AudioFormat, to format: AudioFormat) throws(ResamplingError) {
    self.format = format
    resampler = try Resampler(from: device, to: format)
    times = CaptureTimes(rate: format.sampleRate)
  }

  /// The blocks that a block gives: before a gap, what was held back; after it, the gap's mark.
  func convert(_ captured: DeviceAudio) throws(ResamplingError) -> [CapturedAudio] {
    var blocks: [CapturedAudio] = []
    var gap: CaptureGap?
    if captured.lost > 0 {
      let rest = try resampler.finish()
      if !rest.isEmpty { blocks.append(timed(rest)) }
      try resampler.reset()
      let from = captured.buffer.format.sampleRate
      gap = CaptureGap(lost: captured.lost.converted(from: from, to: format.sampleRate))
    }
    times.heard(captured)
    let buffer = try resampler.process(captured.buffer)
    if !buffer.isEmpty || gap != nil { blocks.append(timed(buffer, gap: gap)) }
    return blocks
  }

  /// What was held back at the end.
  func finish() throws(ResamplingError) -> CapturedAudio? {
    let rest = try resampler.finish()
    return rest.isEmpty ? nil : timed(rest)
  }

  private func timed(_ buffer: AudioBuffer, gap: CaptureGap? = nil) -> CapturedAudio {
    CapturedAudio(
      buffer: buffer, time: times.take(buffer.frameCount), gap: gap,
      capturedAt: times.capturedAt(buffer.firstFrame))
  }
}
