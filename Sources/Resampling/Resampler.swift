public import AudioCore
import CSoxr

/// Converts a stream of audio from one rate and number of channels to another.
///
/// The result does not depend on how the audio is cut into buffers, and it is not late: the first
/// frame out corresponds to the first frame in. What soxr holds back (some 20 ms with `.high`)
/// comes with the next buffers, and the last of it from `finish`.
///
/// Channels go to their own positions. Those without one are mixed into others as ITU-R BS.775 has
/// it, scaled so that nothing clips: stereo becomes mono as the average, and center and surround are
/// heard from left and right at -3 dB. Low frequencies that have no channel are left out. Mono goes
/// to the center, or to front left and right as it is. Where channels are added they are silent.
///
/// Thread safety: one thread at a time.
public final class Resampler {
  /// How exact the conversion is.
  public enum Quality: Hashable, Sendable {
    /// soxr's high quality: over 130 dB of signal to noise, some 20 ms of latency.
    case high
    /// soxr's low quality: over 95 dB, the shortest latency.
    case low
  }

  /// What goes in.
  public let inputFormat: AudioFormat
  /// What comes out.
  public let outputFormat: AudioFormat
  /// How exact the conversion is.
  public let quality: Quality

  /// soxr itself takes any ratio, and with it any amount of memory.
  private static let highestRatio = 256.0

  private let mixBefore: ChannelMix?
  private let mixAfter: ChannelMix?
  private let innerChannels: Int
  private var handle: SoxrHandle?
  private var timeLine = ConvertedTimeLine()

  /// Makes a converter; equal formats pass through untouched.
  ///
  /// - Throws: `ResamplingError.unsupported` where one rate is over 256 times the other.
  public init(
    from inputFormat: AudioFormat, to outputFormat: AudioFormat, quality: Quality = .high
  ) throws(ResamplingError) {
    self.inputFormat = inputFormat
    self.outputFormat = outputFormat
    self.quality = quality
    let (before, after) = (inputFormat.channelCount, outputFormat.channelCount)
    // Fewer channels are less work for soxr: mix down before it, up after it.
    let mix =
      inputFormat.layout == outputFormat.layout
      ? nil : ChannelMix(from: inputFormat.layout, to: outputFormat.layout)
    (mixBefore, mixAfter) = before >= after ? (mix, nil) : (nil, mix)
    innerChannels = min(before, after)
    try makeHandle()
  }

  /// Converts one buffer; the result may be empty, and is usually a little shorter or longer.
  ///
  /// The frames out are numbered without a gap from where the first buffer began, at the new rate.
  /// Where the buffers in have a gap, `finish` before it and `reset` after it.
  ///
  /// - Throws: `.wrongFormat`, `.finished`, or `.failed`.
  public func process(_ buffer: AudioBuffer) throws(ResamplingError) -> AudioBuffer {
    guard buffer.format == inputFormat else {
      throw .wrongFormat(expected: inputFormat, actual: buffer.format)
    }
    guard !timeLine.isFinished else { throw .finished }
    guard inputFormat != outputFormat else { return buffer }
    timeLine.begin(at: buffer.firstFrame, from: inputFormat.sampleRate, to: outputFormat.sampleRate)
    let mixed = mixBefore?.apply(buffer.samples) ?? buffer.samples
    return numbered(try resampled(mixed))
  }

  /// Gives the rest after the last buffer, so that the whole length is that of the input,
  /// converted.
  ///
  /// - Throws: `.finished` where it was called before, or `.failed`.
  public func finish() throws(ResamplingError) -> AudioBuffer {
    guard !timeLine.isFinished else { throw .finished }
    timeLine.isFinished = true
    return numbered(try flushed())
  }

  /// Forgets all audio, so that another stream can begin.
  public func reset() throws(ResamplingError) {
    timeLine = ConvertedTimeLine()
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
    do throws(SoxrFailure) {
      handle = try SoxrHandle(
        from: from, to: to, channels: innerChannels, recipe: quality.recipe)
    } catch {
      throw .unsupported(from: inputFormat, to: outputFormat, reason: error.reason)
    }
  }

  private func resampled(_ samples: [Float]) throws(ResamplingError) -> [Float] {
    let ratio = Double(outputFormat.sampleRate.hertz) / Double(inputFormat.sampleRate.hertz)
    do throws(SoxrFailure) {
      return try handle?.resampled(samples, channels: innerChannels, ratio: ratio) ?? samples
    } catch {
      throw .failed(reason: error.reason)
    }
  }

  private func flushed() throws(ResamplingError) -> [Float] {
    do throws(SoxrFailure) {
      return try handle?.rest(channels: innerChannels) ?? []
    } catch {
      throw .failed(reason: error.reason)
    }
  }

  private func numbered(_ samples: [Float]) -> AudioBuffer {
    let mixed = mixAfter?.apply(samples) ?? samples
    let frames = FrameCount(mixed.count / outputFormat.channelCount)
    return AudioBuffer(
      format: outputFormat, samples: mixed, firstFrame: timeLine.take(frames))
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
