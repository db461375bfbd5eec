/// Multiplies samples by a gain, which may be on its way from one value to another.
public struct Amplifier: AudioProcessor, Sendable {
  /// The gain along the time-line; frames have it by their index, so that it goes on in a gap.
  public private(set) var ramp: GainRamp

  /// A machine for one ramp, or with `GainRamp(constant:)` for a gain that stays.
  public init(_ ramp: GainRamp) {
    self.ramp = ramp
  }

  /// Goes on from the gain of this frame to another one.
  public mutating func change(
    to gain: Float, at frame: FrameCount, over length: FrameCount, curve: FadeCurve = .linear
  ) {
    ramp = GainRamp(from: ramp.gain(at: frame), to: gain, at: frame, length: length, curve: curve)
  }

  /// Gives the buffer with its gain; samples may go beyond ±1.
  public mutating func take(_ buffer: AudioBuffer) -> [AudioBuffer] {
    [buffer.scaled { ramp.gain(at: buffer.firstFrame + $0) }]
  }
}

extension AudioBuffer {
  /// The same frames, each times the gain for its place in the buffer.
  func scaled(by gain: (_ frame: FrameCount) -> Float) -> AudioBuffer {
    let channels = format.channelCount
    var scaled = samples
    for frame in 0..<frameCount.rawValue {
      let factor = gain(FrameCount(frame))
      for index in frame * channels..<(frame + 1) * channels { scaled[index] *= factor }
    }
    return AudioBuffer(format: format, samples: scaled, firstFrame: firstFrame)
  }
}
