extension AsyncSequence where Element == AudioBuffer {
  /// The same audio, faded in from silence at the start and out to silence at the end.
  ///
  /// The first frame and the last one are silent. Each fade has its full length in frames, those
  /// that a gap in the indices lacks not counted; audio that is shorter than the fade out fades
  /// from its first frame on. To know the end, frames of the length of the fade out are held back.
  ///
  /// An error of this sequence comes after the faded end.
  public func faded(
    in fadeIn: Duration = .zero, out fadeOut: Duration = .zero, curve: FadeCurve = .linear
  ) -> ProcessedAudio<Self, Fader> {
    processed(by: Fader(fadeIn: fadeIn, fadeOut: fadeOut, curve: curve))
  }
}
