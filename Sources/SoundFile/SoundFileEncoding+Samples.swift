import CSndFile

/// How samples are handed to libsndfile.
enum SampleCoding {
  case int16
  case int24
  case float
}

extension SoundFileEncoding {
  /// We round to whole numbers ourselves: libsndfile scales by 32767 without clipping, which is not
  /// the inverse of reading, and cuts off instead of rounding with it.
  var sampleCoding: SampleCoding {
    switch self {
    case .wav16, .flac16: .int16
    case .wav24, .flac24: .int24
    case .wavFloat, .oggVorbis, .opus: .float
    }
  }

  var libraryFormat: Int32 {
    switch self {
    case .wav16: Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_16)
    case .wav24: Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_24)
    case .wavFloat: Int32(SF_FORMAT_WAV | SF_FORMAT_FLOAT)
    case .flac16: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
    case .flac24: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_24)
    case .oggVorbis: Int32(SF_FORMAT_OGG | SF_FORMAT_VORBIS)
    case .opus: Int32(SF_FORMAT_OGG | SF_FORMAT_OPUS)
    }
  }

  /// The bytes that a sample takes, where every one takes the same.
  var bytesPerSample: Int? {
    switch self {
    case .wav16: 2
    case .wav24: 3
    case .wavFloat: 4
    case .flac16, .flac24, .oggVorbis, .opus: nil
    }
  }

  /// Whether the header can be brought up to date while writing; it would destroy Ogg files.
  var updatesHeader: Bool { bytesPerSample != nil }
}
