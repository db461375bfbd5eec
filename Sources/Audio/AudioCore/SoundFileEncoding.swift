/// An encoding of a sound file: a container and its sample format.
///
/// A process that is killed while writing a file loses at most the last second of audio. The
/// exception is FLAC below 1.6 kHz, which loses at most a block of 1,152 frames plus a quarter of a
/// second.
public struct SoundFileEncoding: Hashable, Sendable {
  /// A container format of sound files.
  public enum Container: String, Hashable, Sendable, CaseIterable {
    /// WAV, which becomes RF64 beyond 4 GiB; extensions `wav` and `wave`.
    ///
    /// Files with three or more channels have a channel mask. Python's `wave` reads neither RF64
    /// nor float, and files with a mask only since Python 3.12. SoX, FFmpeg, and libsndfile read
    /// all of these files.
    case wav
    /// AIFF, or AIFF-C for float, up to 4 GiB; extensions `aiff`, `aif`, and `aifc`.
    ///
    /// A write beyond that size throws `SoundFileError.tooLarge`; the file keeps the earlier audio.
    case aiff
    /// AU by Sun and NeXT; extensions `au` and `snd`.
    case au
    /// Apple's Core Audio Format; extension `caf`.
    case caf
    /// FLAC, lossless; extension `flac`.
    case flac
    /// Vorbis in Ogg; extensions `ogg` and `oga`.
    case vorbis
    /// Opus in Ogg, at 8, 12, 16, 24, or 48 kHz; extension `opus`.
    case opus
    /// MPEG layer III, at 16, 22.05, 24, 32, 44.1, or 48 kHz, mono or stereo; extension `mp3`.
    case mp3
  }

  /// A format of stored samples.
  public enum SampleFormat: String, Hashable, Sendable, CaseIterable {
    /// 16-bit integers.
    case int16
    /// 24-bit integers.
    case int24
    /// 32-bit integers.
    case int32
    /// 32-bit floating point: lossless, even above full scale.
    case float
  }

  /// The container.
  public let container: Container

  /// The sample format; nil if the container's codec determines it.
  public let samples: SampleFormat?

  /// Creates an encoding with 16-bit samples; for a lossy container, `samples` is nil.
  public init(_ container: Container) {
    self.init(container, container.sampleFormats.first)
  }

  /// Creates an encoding with this sample format, or with the container's default if `samples` is
  /// nil.
  ///
  /// - Throws: `SampleFormatError` if the container cannot store the sample format.
  ///   `Container.sampleFormats` lists the supported formats.
  public init(_ container: Container, samples: SampleFormat?) throws(SampleFormatError) {
    guard let samples else {
      self.init(container)
      return
    }
    guard container.sampleFormats.contains(samples) else {
      throw SampleFormatError(container: container, samples: samples)
    }
    self.init(container, samples)
  }

  private init(_ container: Container, _ samples: SampleFormat?) {
    (self.container, self.samples) = (container, samples)
  }

  /// WAV, 16 bit.
  public static let wav16 = SoundFileEncoding(.wav, .int16)
  /// WAV, 24 bit.
  public static let wav24 = SoundFileEncoding(.wav, .int24)
  /// WAV, 32-bit float: lossless, even above full scale.
  public static let wavFloat = SoundFileEncoding(.wav, .float)
  /// FLAC, 16 bit, lossless.
  public static let flac16 = SoundFileEncoding(.flac, .int16)
  /// FLAC, 24 bit, lossless.
  public static let flac24 = SoundFileEncoding(.flac, .int24)
  /// Vorbis in Ogg.
  public static let oggVorbis = SoundFileEncoding(.vorbis, nil)
  /// Opus in Ogg; 8, 12, 16, 24, or 48 kHz.
  public static let opus = SoundFileEncoding(.opus, nil)
  /// MP3; 16, 22.05, 24, 32, 44.1, or 48 kHz, mono or stereo.
  public static let mp3 = SoundFileEncoding(.mp3, nil)

  /// The extensions of all containers.
  public static let pathExtensions = Container.allCases.flatMap(\.pathExtensions)
}

extension SoundFileEncoding: CaseIterable {
  /// Every container with every sample format that it supports.
  public static let allCases = Container.allCases.flatMap { container in
    container.sampleFormats.isEmpty
      ? [SoundFileEncoding(container, nil)]
      : container.sampleFormats.map { SoundFileEncoding(container, $0) }
  }
}

extension SoundFileEncoding.Container {
  /// The supported sample formats, the default first; empty if the codec determines them.
  public var sampleFormats: [SoundFileEncoding.SampleFormat] {
    switch self {
    case .wav, .aiff, .au, .caf: [.int16, .int24, .int32, .float]
    case .flac: [.int16, .int24]
    case .vorbis, .opus, .mp3: []
    }
  }

  /// Whether the container can be written to a pipe; AIFF and CAF store the length before the
  /// audio.
  public var isStreamable: Bool { self != .aiff && self != .caf }

  /// Creates the container for a path extension such as `wav`; case is ignored.
  public init?(pathExtension: String) {
    let name = pathExtension.lowercased()
    guard let container = Self.allCases.first(where: { $0.pathExtensions.contains(name) }) else {
      return nil
    }
    self = container
  }

  /// The path extensions without their dots, the usual extension first.
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
  /// The supported sample rates in ascending order, or nil if every rate is supported.
  public var supportedRates: [SampleRate]? {
    switch container {
    case .opus: [8_000, 12_000, 16_000, 24_000, 48_000]
    case .mp3: [16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
    default: nil
    }
  }

  /// The size of a linear PCM sample in bytes, or nil if the container compresses.
  package var sampleSize: Int? {
    switch container {
    case .wav, .aiff, .au, .caf: samples?.byteCount
    case .flac, .vorbis, .opus, .mp3: nil
    }
  }

  /// The maximum number of channels; nil if it depends on the encoder.
  public var maximumChannelCount: Int? { container == .mp3 ? 2 : nil }

  /// Returns the rate for writing audio of this rate to a file: the same rate if it is supported,
  /// else the next higher supported rate, else the highest.
  public func supportedRate(for rate: SampleRate) -> SampleRate {
    guard let rates = supportedRates, let highest = rates.last else { return rate }
    return rates.first { $0 >= rate } ?? highest
  }
}

extension SoundFileEncoding.SampleFormat {
  /// The size of a sample in bytes.
  public var byteCount: Int {
    switch self {
    case .int16: 2
    case .int24: 3
    case .int32, .float: 4
    }
  }
}

extension SoundFileEncoding: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    samples.map { "\(container), \($0)" } ?? "\(container)"
  }
}

extension SoundFileEncoding.Container: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .wav: "WAV"
    case .aiff: "AIFF"
    case .au: "AU"
    case .caf: "CAF"
    case .flac: "FLAC"
    case .vorbis: "Ogg Vorbis"
    case .opus: "Opus"
    case .mp3: "MP3"
    }
  }
}

extension SoundFileEncoding.SampleFormat: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .int16: "16 bit"
    case .int24: "24 bit"
    case .int32: "32 bit"
    case .float: "float"
    }
  }
}

/// The error of a container that cannot store a sample format.
public struct SampleFormatError: Error, Hashable, Sendable {
  /// The container.
  public let container: SoundFileEncoding.Container
  /// The unsupported format.
  public let samples: SoundFileEncoding.SampleFormat

  /// Creates the error for an unsupported combination.
  public init(container: SoundFileEncoding.Container, samples: SoundFileEncoding.SampleFormat) {
    (self.container, self.samples) = (container, samples)
  }
}

extension SampleFormatError: CustomStringConvertible {
  /// A sentence for users: the unsupported format, and the supported formats.
  public var description: String {
    let stored = container.sampleFormats.map { "\($0)" }.joined(separator: ", ")
    let choice = stored.isEmpty ? "leave the sample format to its codec" : "it stores \(stored)"
    return "\(container) cannot store \(samples) samples; \(choice)"
  }
}
