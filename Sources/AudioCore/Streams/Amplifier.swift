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
    if let gain = ramp.constantGain(of: buffer) { return [buffer.scaled(by: gain)] }
    return [buffer.scaled { ramp.gain(at: buffer.firstFrame + $0) }]
  }
}

extension GainRamp {
  /// The gain of all frames of a buffer, where it is the same.
  fileprivate func constantGain(of buffer: AudioBuffer) -> Float? {
    if start == end || buffer.firstFrame >= firstFrame + length { return end }
    return buffer.endFrame <= firstFrame ? start : nil
  }
}

extension AudioBuffer {
  /// The same frames, each times the gain; at 1 nothing is copied.
  func scaled(by gain: Float) -> AudioBuffer {
    guard gain != 1 else { return self }
    return AudioBuffer(
      format: format, samples: samples.map { gain * $0 }, firstFrame: firstFrame)
  }

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
