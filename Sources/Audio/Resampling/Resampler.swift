public import AudioCore
import CSoxr

/// Converts a stream of audio between sample rates and channel counts.
///
/// The result does not depend on the buffer lengths and has no delay: the first output frame
/// corresponds to the first input frame. Audio that soxr buffers (about 20 ms with `.high`) comes
/// with the next buffers, and `flush` returns the rest.
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
    /// soxr's low quality: a signal-to-noise ratio above 95 dB, with the shortest latency.
    case low
  }

  /// The input format.
  public let inputFormat: AudioFormat
  /// The output format.
  public let outputFormat: AudioFormat
  /// The precision of the conversion.
  public let quality: Quality

  /// The highest permitted ratio of the rates.
  ///
  /// soxr accepts any ratio, and may then use any amount of memory.
  private static let highestRatio = 256.0

  private let mixBefore: ChannelMix?
  private let mixAfter: ChannelMix?
  private let innerChannels: Int
  /// Whether the ratio of the rates can be adjusted.
  private let isAdjustable: Bool
  /// soxr's handle, which this object deletes; nil if the rates are equal.
  private var soxr: soxr_t?
  /// Whether no more audio is accepted.
  private(set) var isFinished = false
  /// Whether the position of the next output is known; false at the start and after a gap.
  private var isPlaced = false
  /// The frame after the last returned frame; nil before the first output.
  private var end: FrameCount?

  /// Creates a converter; if the formats are equal, audio passes unchanged.
  ///
  /// - Throws: `ResamplingError.unsupported` if one rate is more than 256 times the other.
  public init(
    from inputFormat: AudioFormat, to outputFormat: AudioFormat, quality: Quality = .high
  ) throws(ResamplingError) {
    self.inputFormat = inputFormat
    self.outputFormat = outputFormat
    self.quality = quality
    let (before, after) = (inputFormat.channelCount, outputFormat.channelCount)
    // Fewer channels mean less work for soxr: audio is mixed down before soxr, and mixed up after
    // it.
    let mix =
      inputFormat.layout == outputFormat.layout
      ? nil : ChannelMix(from: inputFormat.layout, to: outputFormat.layout)
    (mixBefore, mixAfter) = before >= after ? (mix, nil) : (nil, mix)
    innerChannels = min(before, after)
    isAdjustable = false
    try begin()
  }

  /// Creates a converter that changes the duration of audio by up to `highestDeviation`.
  ///
  /// It buffers 240 frames.
  package init(adjusting format: AudioFormat) throws(ResamplingError) {
    (inputFormat, outputFormat, quality) = (format, format, .high)
    (mixBefore, mixAfter) = (nil, nil)
    (innerChannels, isAdjustable) = (format.channelCount, true)
    try begin()
  }

  /// The largest permitted deviation from the ratio 1 of an adjustable converter.
  package static let highestDeviation = 1_000e-6

  /// Takes `1 + deviation` input frames per output frame from now on, without a jump in the signal.
  ///
  /// The corresponding C function is `soxr_set_io_ratio`.
  package func adjust(by deviation: Double) throws(ResamplingError) {
    if let failure = soxr_set_io_ratio(soxr, 1 + deviation, 0) {
      throw .failed(reason: text(failure))
    }
  }

  deinit {
    soxr_delete(soxr)
  }

  /// Converts one buffer; the result may be empty, or differ slightly in duration.
  ///
  /// The output frames are numbered continuously at the new rate from the start of the first
  /// buffer. If the input has gaps, use `StreamResampler`, or call `flush` before each gap and
  /// `reset` after it.
  ///
  /// - Throws: `.wrongFormat`, `.finished`, or `.failed`.
  public func process(_ buffer: AudioBuffer) throws(ResamplingError) -> AudioBuffer {
    guard buffer.format == inputFormat else {
      throw .wrongFormat(expected: inputFormat, actual: buffer.format)
    }
    guard !isFinished else { throw .finished }
    guard inputFormat != outputFormat || isAdjustable else { return buffer }
    if !isPlaced {
      // After a gap shorter than a frame, this position may lie before the end of the last output,
      // so the later position is used.
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
  /// - Throws: `.finished` if `flush` was called before, or `.failed`.
  public func flush() throws(ResamplingError) -> AudioBuffer {
    guard !isFinished else { throw .finished }
    isFinished = true
    return numbered(try rest())
  }

  /// Discards all audio, so that another stream can begin.
  public func reset() throws(ResamplingError) {
    end = nil
    try resume()
  }

  /// Continues after `flush` with the audio after a gap; the gap in the output has the same
  /// duration.
  package func resume() throws(ResamplingError) {
    (isFinished, isPlaced) = (false, false)
    try begin()
  }

  private func numbered(_ samples: [Float]) -> AudioBuffer {
    let mixed = mixAfter?.apply(samples) ?? samples
    let buffer = AudioBuffer(format: outputFormat, samples: mixed, firstFrame: end ?? 0)
    end = buffer.endFrame
    return buffer
  }
}

extension Resampler {
  /// Begins a stream.
  ///
  /// The corresponding C function is `soxr_create`.
  private func begin() throws(ResamplingError) {
    let (from, to) = (inputFormat.sampleRate, outputFormat.sampleRate)
    guard from != to || isAdjustable else { return }
    let ratio = Double(max(from, to).hertz) / Double(min(from, to).hertz)
    guard ratio <= Self.highestRatio else {
      let reason = "the rates differ more than \(Int(Self.highestRatio)) times"
      throw .unsupported(from: inputFormat, to: outputFormat, reason: reason)
    }
    var failure: soxr_error_t?
    var samples = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
    // A variable resampler gets its largest ratio here.
    let (input, output) =
      isAdjustable ? (1 + 2 * Self.highestDeviation, 1) : (Double(from.hertz), Double(to.hertz))
    var precision = soxr_quality_spec(UInt(quality.recipe), isAdjustable ? UInt(SOXR_VR) : 0)
    var runtime = soxr_runtime_spec(1)
    let created = soxr_create(
      input, output, UInt32(innerChannels), &failure, &samples, &precision, &runtime)
    guard let created, failure == nil else {
      soxr_delete(created)
      throw .unsupported(from: inputFormat, to: outputFormat, reason: text(failure))
    }
    soxr_delete(soxr)
    soxr = created
    if isAdjustable { try adjust(by: 0) }
  }

  /// Converts interleaved samples and returns all the output that soxr has ready.
  private func resampled(_ samples: [Float]) throws(ResamplingError) -> [Float] {
    guard let soxr else { return samples }
    let ratio = Double(outputFormat.sampleRate.hertz) / Double(inputFormat.sampleRate.hertz)
    let frames = samples.count / innerChannels
    var output: [Float] = []
    var taken = 0
    var isFull = true
    output.reserveCapacity(Int(clamping: Double(frames) * ratio + 1) * innerChannels)
    // A full block means that more output may be ready; further calls return it.
    while taken < frames || isFull {
      let room = max(256, Int(clamping: (Double(frames - taken) * ratio).rounded(.up)))
      var consumed = 0
      let block = try block(room: room) { target, produced in
        // The pointer is valid only during the call, and soxr copies its input.
        samples.withUnsafeBufferPointer { source in
          guard let start = source.baseAddress else { return nil }
          return soxr_process(
            soxr, start + taken * innerChannels, frames - taken, &consumed, target, room, &produced)
        }
      }
      taken += consumed
      isFull = block.count == room * innerChannels
      output += block
    }
    return output
  }

  /// Returns the remaining output after the end of the input.
  private func rest() throws(ResamplingError) -> [Float] {
    guard let soxr else { return [] }
    let room = 4096
    var output: [Float] = []
    while true {
      let block = try block(room: room) { target, produced in
        // "End-of-input may be indicated by setting `in` to NULL."
        soxr_process(soxr, nil, 0, nil, target, room, &produced)
      }
      if block.isEmpty { return output }
      output += block
    }
  }

  /// Returns a block of at most `room` frames.
  ///
  /// `fill` sets the number of frames that it has written, and returns soxr's error.
  private func block(
    room: Int, fill: (_ target: UnsafeMutablePointer<Float>, _ produced: inout Int) -> soxr_error_t?
  ) throws(ResamplingError) -> [Float] {
    var failure: soxr_error_t?
    let block = [Float](unsafeUninitializedCapacity: room * innerChannels) { target, count in
      guard let start = target.baseAddress else { return }
      var frames = 0
      failure = fill(start, &frames)
      count = frames * innerChannels
    }
    if let failure { throw .failed(reason: text(failure)) }
    return block
  }
}

/// soxr's message about a failure; its errors have no codes.
private func text(_ failure: soxr_error_t?) -> String {
  failure.map { String(cString: $0) } ?? "soxr gave no reason"
}

extension Resampler.Quality {
  fileprivate var recipe: Int32 {
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

  /// The format of a buffer differs from the resampler's input format.
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
