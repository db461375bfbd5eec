import Synchronization

/// Multiplies samples by a constant or changing gain.
public struct Amplifier: AudioProcessor, Sendable {
  /// The gain as a function of the frame index, so a ramp continues during gaps.
  public private(set) var ramp: GainRamp
  private let control: GainControl?
  /// The number of the last setting read from `control`; a new setting has another number.
  private var number = 0

  /// Creates an amplifier with a ramp; `GainRamp(constant:)` is a constant gain.
  public init(_ ramp: GainRamp) {
    (self.ramp, control) = (ramp, nil)
  }

  /// Creates an amplifier with the control's current gain; the control is read again before every
  /// buffer.
  public init(_ control: GainControl) {
    let setting = control.current
    ramp = GainRamp(constant: setting.gain)
    (self.control, number) = (control, setting.number)
  }

  /// Changes the gain from its value at `frame` to `gain`, along `curve` over `length` frames.
  public mutating func change(
    to gain: Float, at frame: FrameCount, over length: FrameCount, curve: FadeCurve = .linear
  ) {
    ramp = GainRamp(from: ramp.gain(at: frame), to: gain, at: frame, length: length, curve: curve)
  }

  /// Returns the buffer multiplied by the gain; samples may exceed ±1.
  ///
  /// If the control was changed after the previous buffer, the change begins with this buffer's
  /// first frame.
  public mutating func process(_ buffer: AudioBuffer) -> [AudioBuffer] {
    if let setting = control?.current, setting.number != number {
      number = setting.number
      let length = max(0, FrameCount(setting.ramp, at: buffer.format.sampleRate))
      change(to: setting.gain, at: buffer.firstFrame, over: length, curve: setting.curve)
    }
    if let gain = ramp.constantGain(of: buffer) { return [buffer.scaled(by: gain)] }
    return [buffer.scaled { ramp.gain(at: buffer.firstFrame + $0) }]
  }
}

extension GainRamp {
  /// Returns the gain of all frames of a buffer; nil if the gain is not constant.
  fileprivate func constantGain(of buffer: AudioBuffer) -> Float? {
    if start == end || buffer.firstFrame >= firstFrame + length { return end }
    return buffer.endFrame <= firstFrame ? start : nil
  }
}

extension AudioBuffer {
  /// Returns the buffer multiplied by the gain; a gain of 1 copies nothing.
  package func scaled(by gain: Float) -> AudioBuffer {
    gain == 1 ? self : with(samples.map { gain * $0 })
  }

  /// Returns the buffer multiplied by the gain of each frame, counted from the buffer's start.
  func scaled(by gain: (_ frame: FrameCount) -> Float) -> AudioBuffer {
    let channels = format.channelCount
    var scaled = samples
    for frame in 0..<frameCount.rawValue {
      let factor = gain(FrameCount(frame))
      for index in frame * channels..<(frame + 1) * channels { scaled[index] *= factor }
    }
    return with(scaled)
  }
}

/// Changes the gain of running streams: `stream.amplified(by: control)`.
///
/// Thread safety: any thread except the audio thread.
public final class GainControl: Sendable {
  struct Setting {
    var number = 0
    var gain: Float
    var ramp = Duration.zero
    var curve = FadeCurve.linear
  }

  // The lock is held only while the setting is copied or replaced.
  private let setting: Mutex<Setting>

  /// Creates a control with this gain; 1 leaves samples unchanged.
  public init(gain: Float = 1) {
    setting = Mutex(Setting(gain: gain))
  }

  /// Changes the gain over the duration `ramp`, starting with each stream's next buffer.
  public func set(
    _ gain: Float, over ramp: Duration = .milliseconds(10), curve: FadeCurve = .linear
  ) {
    setting.withLock { setting in
      setting = Setting(number: setting.number + 1, gain: gain, ramp: ramp, curve: curve)
    }
  }

  /// The gain of the streams; during a ramp, the target gain.
  public var gain: Float { current.gain }

  var current: Setting { setting.withLock { $0 } }
}

/// A gain that changes over a range of the timeline.
public struct GainRamp: Hashable, Sendable {
  /// The gain before `firstFrame`; 1 leaves samples unchanged.
  public var start: Float
  /// The gain from the end of the ramp on.
  public var end: Float
  /// The index of the frame at which the ramp begins.
  public var firstFrame: FrameCount
  /// The length of the ramp; 0 is a step.
  public var length: FrameCount
  /// The curve of the change; a falling ramp is the mirror image of a rising ramp.
  public var curve: FadeCurve

  /// Creates a ramp; `length` must not be negative.
  public init(
    from start: Float, to end: Float, at firstFrame: FrameCount, length: FrameCount,
    curve: FadeCurve = .linear
  ) {
    precondition(length >= 0, "a ramp is not \(length) long")
    (self.start, self.end) = (start, end)
    (self.firstFrame, self.length, self.curve) = (firstFrame, length, curve)
  }

  /// Creates a constant gain.
  public init(constant gain: Float) {
    self.init(from: gain, to: gain, at: 0, length: 0)
  }

  /// Returns the gain of the frame with this index.
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

extension AsyncSequence where Element: AudioBlock {
  /// Multiplies every sample by `gain`: 1 is unchanged, 0 is silence.
  ///
  /// Samples may exceed ±1.
  public func amplified(by gain: Float) -> ProcessedAudio<Self, Amplifier, Failure> {
    amplified(along: GainRamp(constant: gain))
  }

  /// Multiplies every sample by a gain in decibels: `Decibels(-6)` halves the amplitude.
  public func amplified(by gain: Decibels) -> ProcessedAudio<Self, Amplifier, Failure> {
    amplified(by: Float(gain.amplitude))
  }

  /// Multiplies every sample by the ramp's gain at its frame index.
  ///
  /// The ramp continues during gaps in the indices.
  public func amplified(along ramp: GainRamp) -> ProcessedAudio<Self, Amplifier, Failure> {
    processed(by: Amplifier(ramp))
  }

  /// Multiplies every sample by a gain that can change while the stream runs.
  ///
  /// A change starts its ramp at the next requested buffer.
  public func amplified(by control: GainControl) -> ProcessedAudio<Self, Amplifier, Failure> {
    processed(by: Amplifier(control))
  }
}

/// Fades in at the start and out at the end, with look-ahead.
public struct Fader: AudioProcessor, Sendable {
  private let fadeIn: Duration
  private let fadeOut: Duration
  private let curve: FadeCurve
  private var position: FrameCount = 0
  private var held = HeldBuffers()

  /// Creates a fader with these durations; 0 means no fade.
  public init(fadeIn: Duration = .zero, fadeOut: Duration = .zero, curve: FadeCurve = .linear) {
    precondition(
      fadeIn >= .zero && fadeOut >= .zero,
      "a fade is not \(min(fadeIn, fadeOut).inSeconds) s long")
    (self.fadeIn, self.fadeOut, self.curve) = (fadeIn, fadeOut, curve)
  }

  /// The number of frames held back, because they belong to the fade-out if the audio ends now.
  public var heldFrames: FrameCount { held.frameCount }

  /// Returns the frames that precede the possible fade-out.
  public mutating func process(_ buffer: AudioBuffer) -> [AudioBuffer] {
    held.append(risen(buffer))
    return held.popFirst(held.frameCount - FrameCount(fadeOut, at: buffer.format.sampleRate))
  }

  /// Returns the last frames, faded out.
  public mutating func flush() -> [AudioBuffer] {
    let length = held.frameCount
    var rest = length
    return held.popAll().map { buffer in
      defer { rest -= buffer.frameCount }
      return buffer.scaled { gain(rest - $0 - 1, of: length) }
    }
  }

  private mutating func risen(_ buffer: AudioBuffer) -> AudioBuffer {
    let length = FrameCount(fadeIn, at: buffer.format.sampleRate)
    let begin = position
    // After the fade-in, the position is no longer needed; the limit prevents an overflow.
    position = min(length, position + buffer.frameCount)
    return begin < length ? buffer.scaled { gain(begin + $0, of: length) } : buffer
  }

  private func gain(_ frame: FrameCount, of length: FrameCount) -> Float {
    curve.gain(at: Double(frame.rawValue) / Double(length.rawValue))
  }
}

/// The curve of a gain between two values.
public enum FadeCurve: Hashable, Sendable, CaseIterable {
  /// Linear amplitude; two opposite fades of the same audio add up to 1.
  case linear
  /// A quarter sine; a crossfade between unrelated signals has constant power.
  case equalPower
  /// The level rises linearly in decibels, from −60 dB to 0 dB, which sounds steady.
  case exponential
  /// Half a cosine, which begins and ends smoothly.
  case smooth

  /// Returns the gain of a fade from 0 to 1 at `progress`; values outside 0…1 are clamped.
  public func gain(at progress: Double) -> Float {
    guard progress > 0 else { return 0 }
    guard progress < 1 else { return 1 }
    return switch self {
    case .linear: Float(progress)
    case .equalPower: sineOfTurns(progress / 4)
    case .exponential: Float(powerOfTen(3 * (progress - 1)))
    case .smooth: (1 - sineOfTurns(progress / 2 + 0.25)) / 2
    }
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Fades in from silence at the start and out to silence at the end.
  ///
  /// The first and the last frame are silent. Frames missing in gaps do not count toward the length
  /// of a fade. Audio that is shorter than the fade-out fades from its first frame on. The stream
  /// holds the frames of a fade-out until it detects the end.
  ///
  /// An error of this sequence comes after the faded end.
  public func faded(
    in fadeIn: Duration = .zero, out fadeOut: Duration = .zero, curve: FadeCurve = .linear
  ) -> ProcessedAudio<Self, Fader, Failure> {
    processed(by: Fader(fadeIn: fadeIn, fadeOut: fadeOut, curve: curve))
  }
}
