import AudioCore

/// Tells loud frames from quiet ones: a frame is loud where a channel of it reaches the threshold.
struct Loudness {
  private let threshold: Float

  init(threshold: Decibels) {
    self.threshold = Float(threshold.amplitude)
  }

  /// The first frame of a buffer from `start` on that is loud, nil where all are quiet.
  func firstLoud(in buffer: AudioBuffer, from start: FrameCount = 0) -> FrameCount? {
    let channels = buffer.format.channelCount
    return buffer.samples.withUnsafeBufferPointer { samples in
      let first = min(start.rawValue * channels, samples.count)
      return samples[first...].firstIndex { abs($0) >= threshold }
        .map { FrameCount($0 / channels) }
    }
  }

  /// The last loud frame of a buffer, nil where all are quiet.
  func lastLoud(in buffer: AudioBuffer) -> FrameCount? {
    buffer.samples.withUnsafeBufferPointer { samples in
      samples.lastIndex { abs($0) >= threshold }
        .map { FrameCount($0 / buffer.format.channelCount) }
    }
  }
}
