extension AsyncSequence where Element == AudioBuffer {
  /// The audio without the silence before its first sound and after its last one.
  ///
  /// A pause within the audio stays where it is shorter than `hold`, by default ten seconds; a
  /// longer one is left out but for its margins. What is left out is a gap in the indices: nothing
  /// is closed up, and `numbered(from:)` begins at 0 again. Audio without sound is empty.
  ///
  /// Silence of at most the longer of `hold` and `margin` is held back until it is known what
  /// follows.
  public func trimmingSilence(
    below threshold: Decibels = Decibels(dBFS: -50), hold: Duration = .seconds(10),
    margin: Duration = .milliseconds(100)
  ) -> ProcessedAudio<Self, SilenceTrimmer> {
    let policy = SilencePolicy(threshold: threshold, hold: hold, margin: margin)
    return processed(by: SilenceTrimmer(policy))
  }

  /// The sounds of the audio, one after the other, without the silence between them.
  ///
  /// Each is told with its first frame, its buffers in order, and its end. It ends when it has been
  /// silent for `hold`, at a gap in the indices, at a change of format, and with the audio. Frames
  /// keep their indices, and no frame is given twice: margins that would overlap are shorter.
  ///
  /// Silence of at most the longer of `hold` and `margin` is held back until it is known what
  /// follows.
  public func splitAtSilence(
    _ policy: SilencePolicy = SilencePolicy()
  ) -> ProcessedAudio<Self, SilenceSplitter> {
    processed(by: SilenceSplitter(policy))
  }
}
