public import AudioCore

/// Converts audio of any format to one format.
///
/// It creates a `Resampler` for the first buffer and whenever the format changes.
public struct StreamResampler: AudioProcessor {
  private let quality: Resampler.Quality
  /// Returns the output format for an input format.
  private let target: @Sendable (AudioFormat) -> AudioFormat
  private var resampler: Resampler?
  private var continuity = ContinuityChecker()
  private var captureInfo = CaptureInfo()

  init(
    quality: Resampler.Quality, target: @escaping @Sendable (AudioFormat) -> AudioFormat
  ) {
    (self.quality, self.target) = (quality, target)
  }

  /// Creates a resampler that converts to `format`.
  public init(to format: AudioFormat, quality: Resampler.Quality = .high) {
    self.init(quality: quality) { _ in format }
  }

  /// Returns the available output.
  ///
  /// If there is a gap before the buffer, the output includes all audio before the gap.
  ///
  /// - Throws: `.unsupported` if the rates are too far apart, or `.failed`.
  public mutating func process(_ buffer: AudioBuffer) throws(ResamplingError) -> [AudioBuffer] {
    guard !buffer.isEmpty else { return [] }
    var output: [AudioBuffer] = []
    switch continuity.check(buffer) {
    case .first, .adjacent: break
    case .gap:
      output = try flush()
      try resampler?.resume()
    case .restart:
      output = try flush()
      resampler = nil
    }
    captureInfo.add(buffer)
    return try output + marked(resampler(for: buffer.format).process(buffer))
  }

  /// Returns the buffered audio.
  public mutating func flush() throws(ResamplingError) -> [AudioBuffer] {
    guard let resampler, !resampler.isFinished else { return [] }
    return marked(try resampler.flush())
  }

  private mutating func marked(_ buffer: AudioBuffer) -> [AudioBuffer] {
    buffer.isEmpty ? [] : [captureInfo.applied(to: buffer)]
  }

  private mutating func resampler(for format: AudioFormat) throws(ResamplingError) -> Resampler {
    if let resampler { return resampler }
    let resampler = try Resampler(from: format, to: target(format), quality: quality)
    self.resampler = resampler
    return resampler
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Converts the audio to another format; buffers that already have this format are unchanged.
  ///
  /// Frames are numbered at the new rate. A gap in the indices keeps its duration: buffered audio
  /// comes before the gap, and the converter restarts after the gap. A change of format starts
  /// another converter.
  ///
  /// - Throws: the errors of this sequence, and `ResamplingError`.
  public func resampled(
    to format: AudioFormat, quality: Resampler.Quality = .high
  ) -> ProcessedAudio<Self, StreamResampler, any Error> {
    processed(by: StreamResampler(to: format, quality: quality))
  }

  /// Converts the audio to another rate and keeps its channels.
  public func resampled(
    toRate rate: SampleRate, quality: Resampler.Quality = .high
  ) -> ProcessedAudio<Self, StreamResampler, any Error> {
    processed(
      by: StreamResampler(quality: quality) { input in
        var output = input
        output.sampleRate = rate
        return output
      })
  }
}
