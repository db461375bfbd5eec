public import AudioCore

/// The kinds of file that can be written: a container and how the samples are coded in it.
public enum SoundFileEncoding: Hashable, Sendable, CaseIterable {
  /// WAV, 16 bit.
  case wav16
  /// WAV, 24 bit.
  case wav24
  /// WAV, 32 bit float: nothing is lost, not even above full scale.
  case wavFloat
  /// FLAC, 16 bit, lossless.
  case flac16
  /// FLAC, 24 bit, lossless.
  case flac24
  /// Vorbis in Ogg.
  case oggVorbis
  /// Opus in Ogg; 8, 12, 16, 24 or 48 kHz.
  case opus

  /// The usual encoding for a file name's extension, in upper or lower case, without the dot.
  ///
  /// - Throws: `SoundFileError.unknownExtension`, which names those that are known.
  public init(pathExtension: String) throws(SoundFileError) {
    switch pathExtension.lowercased() {
    case "wav", "wave": self = .wav16
    case "flac": self = .flac16
    case "ogg", "oga": self = .oggVorbis
    case "opus": self = .opus
    default: throw .unknownExtension(pathExtension)
    }
  }

  /// The extensions that `init(pathExtension:)` knows.
  public static let pathExtensions = ["wav", "wave", "flac", "ogg", "oga", "opus"]

  /// The rates that a file can have, in rising order; nil where any will do.
  public var supportedRates: [SampleRate]? {
    self == .opus ? [8_000, 12_000, 16_000, 24_000, 48_000] : nil
  }

  /// The rate to convert to before writing: the next one up, else the highest that there is.
  public func supportedRate(for rate: SampleRate) -> SampleRate {
    guard let rates = supportedRates, let highest = rates.last else { return rate }
    return rates.first { $0 >= rate } ?? highest
  }
}

extension SoundFileEncoding: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    switch self {
    case .wav16: "WAV, 16 bit"
    case .wav24: "WAV, 24 bit"
    case .wavFloat: "WAV, float"
    case .flac16: "FLAC, 16 bit"
    case .flac24: "FLAC, 24 bit"
    case .oggVorbis: "Ogg Vorbis"
    case .opus: "Opus"
    }
  }
}
