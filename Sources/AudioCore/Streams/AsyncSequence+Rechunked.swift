extension AsyncSequence where Element == AudioBuffer {
  /// The same audio in buffers of `size` frames each; `size` must be above 0.
  ///
  /// Only what cannot be filled is shorter, or filled up with silence where `rest` is `.padded`:
  /// the last buffer, the one before a change of format, and the one before a gap in the frames'
  /// indices, which stays where it was. With `.padded` a gap that ends within the buffer becomes
  /// silence of its length, so that every buffer is full and every frame keeps its index.
  ///
  /// At most `size` frames wait for more.
  public func rechunked(
    to size: FrameCount, rest: Rechunker.Rest = .short
  ) -> ProcessedAudio<Self, Rechunker> {
    processed(by: Rechunker(size: size, rest: rest))
  }
}
