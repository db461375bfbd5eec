extension AsyncSequence where Element == AudioBuffer {
  /// The first `limit` of the audio; the sequence below is let go of with the last frame of it.
  ///
  /// The length is that of the time-line: frames which a gap in the indices lacks count as well,
  /// while frames that lie before those heard already, as of a sound that begins anew, add up.
  public func limited(to limit: Duration) -> ProcessedAudio<Self, TimeLimiter> {
    processed(by: TimeLimiter(limit))
  }

  /// The first `limit` frames of the audio; otherwise the same.
  public func limited(to limit: FrameCount) -> ProcessedAudio<Self, TimeLimiter> {
    processed(by: TimeLimiter(limit))
  }
}
