extension SoundFileEncoding: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    samples.map { "\(container), \($0)" } ?? "\(container)"
  }
}

extension SoundFileEncoding.Container: CustomStringConvertible {
  /// A short text for people.
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
  /// A short text for people.
  public var description: String {
    switch self {
    case .int16: "16 bit"
    case .int24: "24 bit"
    case .int32: "32 bit"
    case .float: "float"
    }
  }
}
