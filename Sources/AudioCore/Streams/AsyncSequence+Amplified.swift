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
