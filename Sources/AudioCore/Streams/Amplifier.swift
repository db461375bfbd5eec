import Synchronization

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

/// Changes the gain of streams while they play: `stream.amplified(by: control)`.
///
/// Thread safety: any thread except the audio thread.
public final class GainControl: Sendable {
  struct Setting {
    var number = 0
    var gain: Float
    var ramp = Duration.zero
    var curve = FadeCurve.linear
  }

  // Held to copy a few numbers.
  private let setting: Mutex<Setting>

  /// A control that leaves the gain at `gain`; 1 leaves samples as they are.
  public init(gain: Float = 1) {
    setting = Mutex(Setting(gain: gain))
  }

  /// Has every stream go to `gain` from its next buffer on, evenly over `ramp`.
  public func set(
    _ gain: Float, over ramp: Duration = .milliseconds(10), curve: FadeCurve = .linear
  ) {
    setting.withLock { setting in
      setting = Setting(number: setting.number + 1, gain: gain, ramp: ramp, curve: curve)
    }
  }

  /// The gain that streams have, or are on the way to.
  public var gain: Float { current.gain }

  var current: Setting { setting.withLock { $0 } }
}

/// An amplifier that looks at its control before every buffer.
public struct ControlledAmplifier: AudioProcessor, Sendable {
  private let control: GainControl
  private var amplifier: Amplifier
  private var number: Int

  /// A machine that begins with the gain that the control has now.
  public init(_ control: GainControl) {
    let setting = control.current
    self.control = control
    amplifier = Amplifier(GainRamp(constant: setting.gain))
    number = setting.number
  }

  /// Gives the buffer with its gain; a change since the last buffer begins with its first frame.
  public mutating func take(_ buffer: AudioBuffer) -> [AudioBuffer] {
    let setting = control.current
    if setting.number != number {
      number = setting.number
      let length = max(0, FrameCount(setting.ramp, at: buffer.format.sampleRate))
      amplifier.change(
        to: setting.gain, at: buffer.firstFrame, over: length, curve: setting.curve)
    }
    return amplifier.take(buffer)
  }
}

/// A gain that goes from one value to another over a stretch of the time-line.
public struct GainRamp: Hashable, Sendable {
  /// The gain up to `firstFrame`; 1 leaves samples as they are.
  public var start: Float
  /// The gain from the end of the ramp on.
  public var end: Float
  /// The index of the frame at which the ramp begins.
  public var firstFrame: FrameCount
  /// The length of the ramp; 0 is a step.
  public var length: FrameCount
  /// How it goes from one to the other; downwards it is the mirror image.
  public var curve: FadeCurve

  /// A ramp; `length` must not be negative.
  public init(
    from start: Float, to end: Float, at firstFrame: FrameCount, length: FrameCount,
    curve: FadeCurve = .linear
  ) {
    precondition(length >= 0, "a ramp is not \(length) long")
    (self.start, self.end) = (start, end)
    (self.firstFrame, self.length, self.curve) = (firstFrame, length, curve)
  }

  /// A gain that stays the same.
  public init(constant gain: Float) {
    self.init(from: gain, to: gain, at: 0, length: 0)
  }

  /// The gain of the frame with this index.
  public func gain(at frame: FrameCount) -> Float {
    guard frame < firstFrame + length else { return end }
    guard frame > firstFrame else { return start }
    let progress = Double((frame - firstFrame).rawValue) / Double(length.rawValue)
    guard start <= end else {
      return end + (start - end) * curve.gain(at: 1 - progress)
    }
    return start + (end - start) * curve.gain(at: progress)
  }
}

extension AsyncSequence where Element == AudioBuffer {
  /// Every sample times `gain`: 1 leaves it as it is, 0 is silence; the result may go beyond ±1.
  public func amplified(by gain: Float) -> ProcessedAudio<Self, Amplifier> {
    amplified(along: GainRamp(constant: gain))
  }

  /// Every sample raised by so many decibels, or lowered where they are negative; −6 is half.
  public func amplified(byDecibels decibels: Double) -> ProcessedAudio<Self, Amplifier> {
    amplified(by: Float(Decibels(dBFS: decibels).amplitude))
  }

  /// Every sample times the gain that the ramp has at its frame.
  ///
  /// A frame's index decides, so that the ramp goes on during a gap in the indices.
  public func amplified(along ramp: GainRamp) -> ProcessedAudio<Self, Amplifier> {
    processed(by: Amplifier(ramp))
  }

  /// Every sample times a gain that can be changed meanwhile.
  ///
  /// A change takes effect with the next buffer that is asked for, and begins there with its ramp.
  public func amplified(by control: GainControl) -> ProcessedAudio<Self, ControlledAmplifier> {
    processed(by: ControlledAmplifier(control))
  }
}
