import AudioCore
import AudioThreads
import FilePaths
import Loudness
import SoundFile

/// The resources of one pass over all sources, used by the run's thread.
final class ConversionPass {
  let input: ConversionInput
  let format: AudioFormat
  let encoding: SoundFileEncoding
  var metadata: ConversionMetadata
  /// The gain of the normalization in decibels, in addition to the conversion's own.
  let gain: Double
  /// Whether the peaks of the result are limited.
  let isLimited: Bool
  /// The peak amplitude of the result, known after the pass.
  var peak: Float = 0
  /// The lowest gain of the limiter, known after the pass; 1 if it changed nothing.
  var lowestGain: Float = 1
  /// The number of silenced samples of the input, known after the pass.
  var silencedSampleCount = 0

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
  }

  func chain(_ conversion: AudioConversion) -> ConversionChain {
    ConversionChain(
      conversion, to: format, gain: Float(Decibels(conversion.gain.value + gain).amplitude),
      isLimited: isLimited)
  }

  func measurer() throws -> AudioMeasurer {
    try AudioMeasurer(format, silence: Decibels(-60))
  }
}

extension AudioConversion {
  /// Returns the encoding of the result for the sample format of the first source.
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
    // Samples that exceed the container keep as many bits as it supports.
    return try SoundFileEncoding(container, samples: container.sampleFormats.last)
  }

  /// The loss of bits; nil for none, for a chosen sample format, and for a lossy coder.
  func reduction(
    of stored: Int?, to encoding: SoundFileEncoding
  ) -> (stored: Int, kept: Int)? {
    guard samples == nil, let stored, let format = encoding.samples else { return nil }
    // All audio is converted as Float32, which holds integers of up to 24 bits.
    let kept =
      switch format {
      case .int16: 16
      case .int24, .int32: 24
      case .float: 32
      }
    return stored > kept ? (stored, kept) : nil
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

  /// Returns the format of the result for the format of its input.
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
