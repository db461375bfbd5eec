public import AudioCore

/// Converts audio of any format to one format.
///
/// It creates a `Resampler` for the first buffer and whenever the format changes.
public struct StreamResampler: AudioProcessor {
  private let target: Target
  private let quality: Resampler.Quality
  private var resampler: Resampler?
  private var continuity = Continuity()
  /// The offset of the resampler's frame numbers, and the end of the returned audio.
  private var shift: FrameCount = 0
  private var end: FrameCount?

  enum Target: Sendable {
    case rate(SampleRate)
    case format(AudioFormat)
  }

  init(_ target: Target, quality: Resampler.Quality) {
    (self.target, self.quality) = (target, quality)
  }

  /// Creates a resampler to this format.
  public init(to format: AudioFormat, quality: Resampler.Quality = .high) {
    self.init(.format(format), quality: quality)
  }

  /// Returns the available output; before a gap, this includes the buffered audio.
  ///
  /// - Throws: `.unsupported` if the rates are too far apart, or `.failed`.
  public mutating func process(_ buffer: AudioBuffer) throws(ResamplingError) -> [AudioBuffer] {
    guard !buffer.isEmpty else { return [] }
    let step = continuity.note(buffer)
    let rest = step.isBreak ? try flush() : []
    let resampler = try resampler(for: buffer.format)
    let output = try resampler.process(buffer)
    if step != .continues { shift = distance(to: output, after: step) }
    return rest + placed(output)
  }

  /// Returns the buffered audio.
  public mutating func flush() throws(ResamplingError) -> [AudioBuffer] {
    guard let resampler else { return [] }
    self.resampler = nil
    return placed(try resampler.flush())
  }

  private mutating func resampler(for format: AudioFormat) throws(ResamplingError) -> Resampler {
    if let resampler { return resampler }
    let resampler = try Resampler(
      from: format, to: target.format(for: format), quality: quality)
    self.resampler = resampler
    return resampler
  }

  /// Returns the shift after a gap.
  ///
  /// If a gap is shorter than one output frame, the next audio begins at the end of the flushed
  /// audio.
  private func distance(to output: AudioBuffer, after step: Continuity.Step) -> FrameCount {
    guard case .gap = step, let end else { return 0 }
    return max(0, end - output.firstFrame)
  }

  private mutating func placed(_ output: AudioBuffer) -> [AudioBuffer] {
    var output = output
    output.firstFrame += shift
    end = output.endFrame
    return output.isEmpty ? [] : [output]
  }
}

extension StreamResampler.Target {
  fileprivate func format(for input: AudioFormat) -> AudioFormat {
    switch self {
    case .format(let format): return format
    case .rate(let rate):
      var output = input
      output.sampleRate = rate
      return output
    }
  }
}

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

  /// Converts the audio to another rate and keeps its channels.
  public func resampled(
    toRate rate: SampleRate, quality: Resampler.Quality = .high
  ) -> ThrowingProcessedAudio<Self, StreamResampler> {
    processed(by: StreamResampler(.rate(rate), quality: quality))
  }
}
