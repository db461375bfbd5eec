public import AudioCore

extension AsyncSequence where Element == AudioBuffer {
  /// Converts the audio to another format; buffers in this format are unchanged.
  ///
  /// Frames are numbered at the new rate. A gap in the indices keeps its duration: buffered audio
  /// comes before it, and the converter restarts after it. A change of format starts another
  /// converter.
  ///
  /// - Throws: the errors of this sequence, and `ResamplingError`.
  public func resampled(
    to format: AudioFormat, quality: Resampler.Quality = .high
  ) -> ThrowingProcessedAudio<Self, StreamResampler> {
    processed(by: StreamResampler(to: format, quality: quality))
  }

  /// Converts the audio to another rate with the same channels; otherwise the same.
  public func resampled(
    toRate rate: SampleRate, quality: Resampler.Quality = .high
  ) -> ThrowingProcessedAudio<Self, StreamResampler> {
    processed(by: StreamResampler(.rate(rate), quality: quality))
  }
}
