public import AudioCore

extension AsyncSequence where Element == AudioBuffer {
  /// The same audio in another format; buffers that have it already pass untouched.
  ///
  /// Frames are numbered at the new rate. A gap in the indices stays one, of the same time: what
  /// the converter holds back comes before it, and after it the converter begins anew. A change of
  /// format is no error, it only makes another converter.
  ///
  /// - Throws: the errors of this sequence, and `ResamplingError`.
  public func resampled(
    to format: AudioFormat, quality: Resampler.Quality = .high
  ) -> ThrowingProcessedAudio<Self, StreamResampler> {
    processed(by: StreamResampler(to: format, quality: quality))
  }

  /// The same audio at another rate, with the channels that it has; otherwise the same.
  public func resampled(
    toRate rate: SampleRate, quality: Resampler.Quality = .high
  ) -> ThrowingProcessedAudio<Self, StreamResampler> {
    processed(by: StreamResampler(.rate(rate), quality: quality))
  }
}
