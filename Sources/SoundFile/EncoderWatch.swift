import AudioCore

/// Notices an encoder that takes sound and writes nothing.
struct EncoderWatch {
  private let patience: Duration
  private var size = 0
  private var lastGrowth: FrameCount = 0
  private var hasSound = false

  /// - Parameter patience: the sound that may be in the encoder and not in the file.
  init(patience: Duration) {
    self.patience = patience
  }

  /// Takes what the encoder was given into account.
  mutating func add(_ samples: UnsafeBufferPointer<Float>) {
    // One step of 16 bits: what is quieter may well take no byte.
    if !hasSound { hasSound = samples.contains { abs($0) > 1.0 / 32_768 } }
  }

  /// Looks at the file.
  ///
  /// - Parameters:
  ///   - frames: those that the encoder was given.
  ///   - size: of the file, in bytes.
  /// - Returns: the frames that it was given when the file last grew, where that is too long ago.
  mutating func lastFrame(
    at frames: FrameCount, rate: SampleRate, size newSize: Int
  ) -> FrameCount? {
    guard newSize == size, hasSound else {
      (size, lastGrowth, hasSound) = (newSize, frames, false)
      return nil
    }
    return (frames - lastGrowth).duration(at: rate) >= patience ? lastGrowth : nil
  }
}
