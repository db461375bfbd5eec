extension AsyncSequence where Element == AudioBuffer {
  /// How loud the audio is, told for every `interval` of it.
  ///
  /// Intervals are counted in frames from the first one. The last reading, one before a gap in the
  /// indices and one before a change of format are shorter: none spans frames that are missing.
  public func levels(
    every interval: Duration = .milliseconds(100)
  ) -> ProcessedAudio<Self, LevelMeter> {
    processed(by: LevelMeter(every: interval))
  }

  /// Every buffer, untouched, together with its level.
  public func metered() -> ProcessedAudio<Self, BufferMeter> {
    processed(by: BufferMeter())
  }
}
