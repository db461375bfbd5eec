public import AudioCore
import CSndFile

extension SoundFileEncoding {
  /// The usual encoding for a file name's extension, in upper or lower case, without the dot.
  ///
  /// - Throws: `SoundFileError.unknownExtension`, which names those that are known.
  public init(pathExtension: String) throws(SoundFileError) {
    guard let container = Container(pathExtension: pathExtension) else {
      throw .unknownExtension(pathExtension)
    }
    self.init(container)
  }

  /// How samples are handed to libsndfile.
  ///
  /// We round to whole numbers ourselves: libsndfile scales by 32767 without clipping, which is not
  /// the inverse of reading, and cuts off instead of rounding with it.
  var sampleCoding: SampleFormat { samples ?? .float }

  var libraryFormat: Int32 {
    let (major, coding) =
      switch container {
      case .wav: (SF_FORMAT_WAV, sampleCoding.libraryFormat)
      case .aiff: (SF_FORMAT_AIFF, sampleCoding.libraryFormat)
      case .au: (SF_FORMAT_AU, sampleCoding.libraryFormat)
      case .caf: (SF_FORMAT_CAF, sampleCoding.libraryFormat)
      case .flac: (SF_FORMAT_FLAC, sampleCoding.libraryFormat)
      case .vorbis: (SF_FORMAT_OGG, SF_FORMAT_VORBIS)
      case .opus: (SF_FORMAT_OGG, SF_FORMAT_OPUS)
      case .mp3: (SF_FORMAT_MPEG, SF_FORMAT_MPEG_LAYER_III)
      }
    return Int32(major | coding)
  }

  /// Whether the header can be brought up to date while writing; libsndfile would
  /// destroy Ogg files.
  var updatesHeader: Bool { sampleSize != nil }

  /// The sound that an encoder may be given without a byte of it in the file; nil where every frame
  /// is written at once.
  var patience: Duration? { sampleSize == nil ? .seconds(5) : nil }
}

extension SoundFileEncoding.SampleFormat {
  fileprivate var libraryFormat: Int {
    switch self {
    case .int16: SF_FORMAT_PCM_16
    case .int24: SF_FORMAT_PCM_24
    case .int32: SF_FORMAT_PCM_32
    case .float: SF_FORMAT_FLOAT
    }
  }
}
