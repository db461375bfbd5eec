import AudioCore
import AudioRecorderClient
import Resampling

/// Converts captured blocks to the format that was asked for and keeps gaps where they were.
final class CaptureConverter {
  private let format: AudioFormat
  private let resampler: Resampler
  private var droppedBefore: FrameCount = 0

  init(from device: AudioFormat, to format: AudioFormat) throws(ResamplingError) {
    self.format = format
    resampler = try Resampler(from: device, to: format)
  }

  /// The blocks that a block gives: before a gap, what was held back; after it, the gap's mark.
  func convert(_ captured: DeviceAudio) throws(ResamplingError) -> [CapturedAudio] {
    var blocks: [CapturedAudio] = []
    var gap: CaptureGap?
    if captured.lost > 0 {
      let rest = try resampler.finish()
      if !rest.isEmpty { blocks.append(CapturedAudio(buffer: rest, time: captured.time)) }
      try resampler.reset()
      let from = captured.buffer.format.sampleRate
      gap = CaptureGap(lost: captured.lost.converted(from: from, to: format.sampleRate))
    }
    let buffer = try resampler.process(captured.buffer)
    if !buffer.isEmpty || gap != nil {
      blocks.append(CapturedAudio(buffer: buffer, time: captured.time, gap: gap))
    }
    return blocks
  }

  /// What was held back at the end.
  func finish(at time: Duration) throws(ResamplingError) -> CapturedAudio? {
    let rest = try resampler.finish()
    return rest.isEmpty ? nil : CapturedAudio(buffer: rest, time: time)
  }
}
