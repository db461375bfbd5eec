import AudioCore

/// Tells loud frames from quiet ones: a frame is loud where a channel of it reaches the threshold.
struct Loudness {
  private let threshold: Float

  init(threshold: Decibels) {
    self.threshold = Float(threshold.amplitude)
  }

  /// - Parameter threshold: the size of a sample.
  init(threshold: Float) {
    self.threshold = threshold
  }

  /// False where no frame is loud, soon found out; true also where a sample is not a number.
  func mayBeLoud(_ buffer: AudioBuffer) -> Bool {
    buffer.samples.withUnsafeBufferPointer { samples in
      // Without their sign, the bits of a number grow with it: the difference to those of a louder
      // one has the highest bit.
      var differences: UInt32 = 0
      for sample in samples {
        differences |= (threshold.bitPattern &- 1) &- (sample.bitPattern & 0x7FFF_FFFF)
      }
      return differences >> 31 == 1
    }
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
