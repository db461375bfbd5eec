import Synchronization

/// Changes the gain of streams while they are listened to: `stream.amplified(by: control)`.
///
/// Thread safety: any thread, not the card's.
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
