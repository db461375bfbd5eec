public import AudioCore

/// The kinds of file that can be written: a container and how the samples are coded in it.
public struct SoundFileEncoding: Hashable, Sendable {
  /// What the samples are packed into.
  public enum Container: String, Hashable, Sendable, CaseIterable {
    /// WAV, and RF64 by itself where it grows past 4 GiB; extensions `wav` and `wave`.
    case wav
    /// AIFF, or AIFF-C for float, up to 4 GiB; extensions `aiff`, `aif` and `aifc`.
    ///
    /// A write that would go beyond that throws `SoundFileError.tooLarge`; the file stays complete.
    case aiff
    /// Sun's and NeXT's AU; extensions `au` and `snd`.
    case au
    /// Apple's Core Audio Format; extension `caf`.
    case caf
    /// FLAC, lossless; extension `flac`.
    case flac
    /// Vorbis in Ogg; extensions `ogg` and `oga`.
    case vorbis
    /// Opus in Ogg; extension `opus`.
    case opus
    /// MPEG layer III; extension `mp3`.
    case mp3
  }

  /// How exact the samples are.
  public enum SampleFormat: String, Hashable, Sendable, CaseIterable {
    /// 16-bit integers.
    case int16
    /// 24-bit integers.
    case int24
    /// 32-bit integers.
    case int32
    /// 32-bit floating point: nothing is lost, not even above full scale.
    case float
  }

  /// What the samples are packed into.
  public let container: Container

  /// How exact the samples are; nil where the container's coding knows no such thing.
  public let samples: SampleFormat?

  /// A container with the samples asked for, or with its usual ones.
  ///
  /// - Parameter samples: nil for 16 bit, or whatever a container that is lossy does.
  /// - Returns: nil where the container cannot hold such samples: `Container.sampleFormats` lists
  ///   those that it can.
  public init?(_ container: Container, samples: SampleFormat? = nil) {
    if let samples, !container.sampleFormats.contains(samples) { return nil }
    self.init(container, samples ?? container.sampleFormats.first)
  }

  private init(_ container: Container, _ samples: SampleFormat?) {
    (self.container, self.samples) = (container, samples)
  }

  /// WAV, 16 bit.
  public static let wav16 = SoundFileEncoding(.wav, .int16)
  /// WAV, 24 bit.
  public static let wav24 = SoundFileEncoding(.wav, .int24)
  /// WAV, 32 bit float: nothing is lost, not even above full scale.
  public static let wavFloat = SoundFileEncoding(.wav, .float)
  /// FLAC, 16 bit, lossless.
  public static let flac16 = SoundFileEncoding(.flac, .int16)
  /// FLAC, 24 bit, lossless.
  public static let flac24 = SoundFileEncoding(.flac, .int24)
  /// Vorbis in Ogg.
  public static let oggVorbis = SoundFileEncoding(.vorbis, nil)
  /// Opus in Ogg; 8, 12, 16, 24 or 48 kHz.
  public static let opus = SoundFileEncoding(.opus, nil)
  /// MP3; 16, 22.05, 24, 32, 44.1 or 48 kHz, mono or stereo.
  public static let mp3 = SoundFileEncoding(.mp3, nil)

  /// The usual encoding for a file name's extension, in upper or lower case, without the dot.
  ///
  /// - Throws: `SoundFileError.unknownExtension`, which names those that are known.
  public init(pathExtension: String) throws(SoundFileError) {
    let name = pathExtension.lowercased()
    let container = Container.allCases.first { $0.pathExtensions.contains(name) }
    guard let container else { throw .unknownExtension(pathExtension) }
    self.init(container, container.sampleFormats.first)
  }

  /// The extensions that `init(pathExtension:)` knows.
  public static let pathExtensions = Container.allCases.flatMap(\.pathExtensions)
}

extension SoundFileEncoding: CaseIterable {
  /// Every container with every kind of samples that it can hold.
  public static let allCases = Container.allCases.flatMap { container in
    container.sampleFormats.isEmpty
      ? [SoundFileEncoding(container, nil)]
      : container.sampleFormats.map { SoundFileEncoding(container, $0) }
  }
}

extension SoundFileEncoding.Container {
  /// The samples that it can hold, its usual ones first; none where they are the coder's affair.
  public var sampleFormats: [SoundFileEncoding.SampleFormat] {
    switch self {
    case .wav, .aiff, .au, .caf: [.int16, .int24, .int32, .float]
    case .flac: [.int16, .int24]
    case .vorbis, .opus, .mp3: []
    }
  }

  /// The extensions of its files, without the dot, the usual one first.
  public var pathExtensions: [String] {
    switch self {
    case .wav: ["wav", "wave"]
    case .aiff: ["aiff", "aif", "aifc"]
    case .au: ["au", "snd"]
    case .caf: ["caf"]
    case .flac: ["flac"]
    case .vorbis: ["ogg", "oga"]
    case .opus: ["opus"]
    case .mp3: ["mp3"]
    }
  }
}

extension SoundFileEncoding {
  /// The rates that a file can have, in rising order; nil where any will do.
  public var supportedRates: [SampleRate]? {
    switch container {
    case .opus: [8_000, 12_000, 16_000, 24_000, 48_000]
    case .mp3: [16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
    default: nil
    }
  }

  /// The most channels that a file can have; nil where libsndfile tells.
  public var maximumChannelCount: Int? { container == .mp3 ? 2 : nil }

  /// The rate to convert to before writing: the next one up, else the highest that there is.
  public func supportedRate(for rate: SampleRate) -> SampleRate {
    guard let rates = supportedRates, let highest = rates.last else { return rate }
    return rates.first { $0 >= rate } ?? highest
  }
}
