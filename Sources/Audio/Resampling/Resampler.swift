public import AudioCore
import CSoxr

/// Converts a stream of audio between sample rates and channel counts.
///
/// The result does not depend on the buffer lengths and has no delay: the first output frame
/// corresponds to the first input frame. Audio that soxr buffers (about 20 ms with `.high`) comes
/// with the next buffers, and the last of it from `flush`.
///
/// Channels keep their positions. Channels without a position in the output are mixed down as in
/// ITU-R BS.775, scaled so that nothing clips: stereo becomes mono as the average, and center and
/// surround go to left and right at -3 dB. Low frequencies without a channel are dropped. Mono goes
/// to the center, or unchanged to front left and right. Added channels are silent.
///
/// Thread safety: one thread at a time.
public final class Resampler {
  /// The precision of the conversion.
  public enum Quality: Hashable, Sendable {
    /// soxr's high quality: a signal-to-noise ratio above 130 dB and about 20 ms of latency.
    case high
    /// soxr's low quality: above 95 dB, with the shortest latency.
    case low
  }

  /// The input format.
  public let inputFormat: AudioFormat
  /// The output format.
  public let outputFormat: AudioFormat
  /// The precision of the conversion.
  public let quality: Quality

  /// soxr accepts any ratio, and its memory use has no limit.
  private static let highestRatio = 256.0

  private let mixBefore: ChannelMix?
  private let mixAfter: ChannelMix?
  private let innerChannels: Int
  private var handle: SoxrHandle?
  /// Whether no more audio is accepted.
  private(set) var isFinished = false
  /// Whether the output after the last gap has its place.
  private var isPlaced = false
  /// The frame after the last one returned; nil before the first.
  private var end: FrameCount?

  /// Creates a converter; equal formats pass unchanged.
  ///
  /// - Throws: `ResamplingError.unsupported` if one rate is more than 256 times the other.
  public init(
    from inputFormat: AudioFormat, to outputFormat: AudioFormat, quality: Quality = .high
  ) throws(ResamplingError) {
    self.inputFormat = inputFormat
    self.outputFormat = outputFormat
    self.quality = quality
    let (before, after) = (inputFormat.channelCount, outputFormat.channelCount)
    // Fewer channels mean less work for soxr: mix down before it, and up after it.
    let mix =
      inputFormat.layout == outputFormat.layout
      ? nil : ChannelMix(from: inputFormat.layout, to: outputFormat.layout)
    (mixBefore, mixAfter) = before >= after ? (mix, nil) : (nil, mix)
    innerChannels = min(before, after)
    try makeHandle()
  }

  /// Converts one buffer; the result may be empty, and usually differs slightly in length.
  ///
  /// The output frames are numbered continuously at the new rate from the start of the first
  /// buffer. For a gap in the input, use `StreamResampler`, or call `flush` before it and `reset`
  /// after it.
  ///
  /// - Throws: `.wrongFormat`, `.finished`, or `.failed`.
  public func process(_ buffer: AudioBuffer) throws(ResamplingError) -> AudioBuffer {
    guard buffer.format == inputFormat else {
      throw .wrongFormat(expected: inputFormat, actual: buffer.format)
    }
    guard !isFinished else { throw .finished }
    guard inputFormat != outputFormat else { return buffer }
    if !isPlaced {
      // After a gap shorter than a frame, the audio before it may overlap.
      let first = buffer.firstFrame.converted(
        from: inputFormat.sampleRate, to: outputFormat.sampleRate)
      (end, isPlaced) = (max(first, end ?? first), true)
    }
    let mixed = mixBefore?.apply(buffer.samples) ?? buffer.samples
    return numbered(try resampled(mixed))
  }

  /// Returns the remaining output after the last buffer.
  ///
  /// The total length then corresponds to that of the input.
  ///
  /// - Throws: `.finished` if it was called before, or `.failed`.
  public func flush() throws(ResamplingError) -> AudioBuffer {
    guard !isFinished else { throw .finished }
    isFinished = true
    return numbered(try handle?.rest(channels: innerChannels) ?? [])
  }

  /// Discards all audio, so that another stream can begin.
  public func reset() throws(ResamplingError) {
    end = nil
    try resume()
  }

  /// Continues after `flush` with the audio after a gap, which keeps its duration.
  package func resume() throws(ResamplingError) {
    (isFinished, isPlaced) = (false, false)
    try makeHandle()
  }

  private func makeHandle() throws(ResamplingError) {
    let (from, to) = (inputFormat.sampleRate, outputFormat.sampleRate)
    guard from != to else { return }
    let ratio = Double(max(from, to).hertz) / Double(min(from, to).hertz)
    guard ratio <= Self.highestRatio else {
      let reason = "the rates differ more than \(Int(Self.highestRatio)) times"
      throw .unsupported(from: inputFormat, to: outputFormat, reason: reason)
    }
    handle = try SoxrHandle(
      from: inputFormat, to: outputFormat, channels: innerChannels, recipe: quality.recipe)
  }

  private func resampled(_ samples: [Float]) throws(ResamplingError) -> [Float] {
    let ratio = Double(outputFormat.sampleRate.hertz) / Double(inputFormat.sampleRate.hertz)
    return try handle?.resampled(samples, channels: innerChannels, ratio: ratio) ?? samples
  }

  private func numbered(_ samples: [Float]) -> AudioBuffer {
    let mixed = mixAfter?.apply(samples) ?? samples
    let buffer = AudioBuffer(format: outputFormat, samples: mixed, firstFrame: end ?? 0)
    end = buffer.endFrame
    return buffer
  }
}

extension Resampler.Quality {
  var recipe: Int32 {
    switch self {
    case .high: SOXR_20_BITQ
    case .low: SOXR_LQ
    }
  }
}

/// The reason that audio could not be converted.
public enum ResamplingError: Error, Equatable {
  /// The two rates are too far apart; `reason` explains it.
  case unsupported(from: AudioFormat, to: AudioFormat, reason: String)

  /// A buffer has another format than the resampler's input.
  case wrongFormat(expected: AudioFormat, actual: AudioFormat)

  /// Audio was added after `flush`; call `reset` first.
  case finished

  /// soxr failed during the conversion; `reason` is its message.
  case failed(reason: String)
}

extension ResamplingError: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .unsupported(let from, let to, let reason):
      "cannot convert \(from) to \(to): \(reason); convert in two steps, or choose a nearer rate"
    case .wrongFormat(let expected, let actual):
      "this resampler takes \(expected), not \(actual); make one for each format"
    case .finished:
      "this resampler has finished; reset it before more audio"
    case .failed(let reason):
      "the conversion failed: \(reason)"
    }
  }
}
