import AudioCore
import AudioThreads
import FilePaths
import Loudness
import Resampling
import SoundFile

/// One pass over all sources, with its processing steps; only the conversion's thread uses it.
final class ConversionPass {
  let input: ConversionInput
  let format: AudioFormat
  let encoding: SoundFileEncoding
  var metadata: ConversionMetadata
  /// The gain of the normalization in decibels, in addition to the conversion's own.
  let gain: Double
  /// Whether the peaks of the result are limited.
  let isLimited: Bool
  /// The peak amplitude of the result so far.
  private(set) var peak: Float = 0
  /// The number of NaN or infinite samples that this step has silenced.
  private(set) var silencedSampleCount = 0

  // The processing steps, in order.
  private var resampler: StreamResampler
  private var trimmer: SilenceTrimmer?
  private var amplifier: Amplifier?
  private var fader: Fader?
  private var limiter: TruePeakLimiter?
  private var splitter: SilenceSplitter?
  /// The length of each output part; nil if the output is not divided, or is divided at silence.
  private let partLength: FrameCount?
  /// The number of frames in the current part.
  private var filled: FrameCount = 0

  init(
    _ conversion: AudioConversion, _ interruption: WakeUp,
    later: [ConversionMetadata.LaterSource?], gain: Double = 0, isLimited: Bool = false
  ) throws {
    (self.gain, self.isLimited) = (gain, isLimited)
    input = try ConversionInput(conversion, interruption: interruption)
    encoding = try conversion.encoding(for: input.first.samples)
    format = conversion.format(for: input.format, encoding)
    try encoding.check(format)
    metadata = ConversionMetadata(
      conversion, input, later: later, to: format.sampleRate, container: encoding.container)
    resampler = StreamResampler(to: format)
    trimmer = conversion.trimming.map(SilenceTrimmer.init)
    let factor = Float(Decibels(conversion.gain.value + gain).amplitude)
    if factor != 1 { amplifier = Amplifier(GainRamp(constant: factor)) }
    if conversion.fadeIn > .zero || conversion.fadeOut > .zero {
      fader = Fader(fadeIn: conversion.fadeIn, fadeOut: conversion.fadeOut)
    }
    if isLimited { limiter = TruePeakLimiter(format) }
    if case .silence(let policy) = conversion.division { splitter = SilenceSplitter(policy) }
    if case .every(let length) = conversion.division {
      partLength = max(1, FrameCount(length, at: format.sampleRate))
    } else {
      partLength = nil
    }
  }

  /// The lowest gain of the limiter; 1 if it changed nothing.
  var lowestGain: Float { limiter?.lowestGain ?? 1 }

  /// Returns a measurer for the result.
  func measurer() throws -> AudioMeasurer {
    try AudioMeasurer(format, silence: Decibels(-60))
  }

  /// Returns the next frames of the result, and the ends of its parts.
  func process(_ buffer: AudioBuffer) throws -> [SoundPart] {
    var buffer = buffer
    silencedSampleCount += buffer.silenceNonFinite()?.count ?? 0
    return try process(try resampler.process(buffer), isLast: false).flatMap { divided($0) }
  }

  func flush() throws -> [SoundPart] {
    let rest = try process(try resampler.flush(), isLast: true).flatMap { divided($0) }
    return rest + (splitter?.flush() ?? [])
  }

  private func process(_ buffers: [AudioBuffer], isLast: Bool) throws -> [AudioBuffer] {
    var buffers = buffers
    try step(&trimmer, &buffers, isLast)
    try step(&amplifier, &buffers, isLast)
    try step(&fader, &buffers, isLast)
    try step(&limiter, &buffers, isLast)
    return buffers
  }

  private func step<Step: AudioProcessor>(
    _ processor: inout Step?, _ buffers: inout [AudioBuffer], _ isLast: Bool
  ) throws where Step.Output == AudioBuffer {
    guard var step = processor else { return }
    buffers = try buffers.flatMap { try step.process($0) }
    if isLast { buffers += try step.flush() }
    processor = step
  }

  private func divided(_ buffer: AudioBuffer) -> [SoundPart] {
    peak = max(peak, buffer.highestAmplitude)
    if let parts = splitter?.process(buffer) { return parts }
    guard let partLength else { return [.audio(buffer)] }
    var parts: [SoundPart] = []
    var position: FrameCount = 0
    while position < buffer.frameCount {
      if filled == partLength {
        parts.append(.ended(at: buffer.firstFrame + position))
        filled = 0
      }
      let end = min(buffer.frameCount, position + partLength - filled)
      parts.append(.audio(buffer.frames(position..<end)))
      filled += end - position
      position = end
    }
    return parts
  }
}

extension AudioBuffer {
  /// The peak amplitude of the samples.
  fileprivate var highestAmplitude: Float {
    // Without the sign bit, larger bit patterns are larger numbers, so integers can be compared.
    let bits = samples.reduce(into: UInt32(0)) { $0 = max($0, $1.bitPattern & 0x7FFF_FFFF) }
    return Float(bitPattern: bits)
  }
}

extension AudioConversion {
  /// Returns the encoding of the result, given the sample format of the first source.
  fileprivate func encoding(
    for source: SoundFileEncoding.SampleFormat?
  ) throws -> SoundFileEncoding {
    let container = try container ?? namedContainer
    if case .descriptor(_, _, let isRaw) = destination,
      isRaw ? container != .wav : !container.isStreamable
    {
      throw ConversionError.notStreamable(container)
    }
    if let samples { return try SoundFileEncoding(container, samples: samples) }
    guard let source, !container.sampleFormats.isEmpty else { return SoundFileEncoding(container) }
    if container.sampleFormats.contains(source) {
      return try SoundFileEncoding(container, samples: source)
    }
    // Samples with more bits than the container supports keep as many bits as possible.
    return try SoundFileEncoding(container, samples: container.sampleFormats.last)
  }

  /// Returns the loss of bits per sample; nil if there is none, if a sample format was chosen, or
  /// if a codec is lossy.
  func reduction(
    of stored: Int?, to encoding: SoundFileEncoding
  ) -> ConversionResult.BitReduction? {
    guard samples == nil, let stored, let format = encoding.samples else { return nil }
    // All audio is converted as Float32, which keeps only 24 bits of an integer.
    let kept =
      switch format {
      case .int16: 16
      case .int24, .int32: 24
      case .float: 32
      }
    return stored > kept ? ConversionResult.BitReduction(stored: stored, kept: kept) : nil
  }

  private var namedContainer: SoundFileEncoding.Container {
    get throws {
      switch destination {
      case .descriptor: .wav
      case .file(let url):
        try SoundFileEncoding(pathExtension: FilePath(url).pathExtension).container
      case .parts(let url):
        try SoundFileEncoding(pathExtension: FilePath(url(1)).pathExtension).container
      }
    }
  }

  /// Returns the format of the result, given the format of its input.
  fileprivate func format(
    for source: AudioFormat, _ encoding: SoundFileEncoding
  ) -> AudioFormat {
    var format = source
    format.sampleRate = sampleRate ?? encoding.supportedRate(for: source.sampleRate)
    let count = channelCount ?? min(source.channelCount, encoding.maximumChannelCount ?? .max)
    if count != source.channelCount { format.channelCount = count }
    return format
  }
}
