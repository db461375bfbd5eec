public import AudioCore
import CSndFile

/// Samples as WAV and raw sound have them: packed, the lowest byte first, 16 bit with dither.
struct LittleEndianSamples {
  private let format: SoundFileEncoding.SampleFormat
  private var dither = Dither()

  init(_ format: SoundFileEncoding.SampleFormat) {
    self.format = format
  }

  /// Puts every sample into `bytes`, which has room for them and begins where any number may.
  mutating func encode(
    _ samples: UnsafeBufferPointer<Float>, into bytes: UnsafeMutableRawBufferPointer
  ) {
    switch format {
    case .int16: storeDithered(samples, in: bytes)
    case .int24: Self.storePacked(samples, in: bytes)
    case .int32: Self.store(samples, in: bytes) { PCMSample.int32($0).littleEndian }
    case .float: Self.store(samples, in: bytes) { $0.bitPattern.littleEndian }
    }
  }

  private mutating func storeDithered(
    _ samples: UnsafeBufferPointer<Float>, in bytes: UnsafeMutableRawBufferPointer
  ) {
    bytes.withMemoryRebound(to: Int16.self) { numbers in
      guard let target = numbers.baseAddress else { return }
      dither.quantize(samples, into: target)
      for index in 0..<samples.count { target[index] = target[index].littleEndian }
    }
  }

  @inline(__always)
  private static func store<Number: BitwiseCopyable>(
    _ samples: UnsafeBufferPointer<Float>, in bytes: UnsafeMutableRawBufferPointer,
    _ number: (Float) -> Number
  ) {
    var offset = 0
    for sample in samples {
      bytes.storeBytes(of: number(sample), toByteOffset: offset, as: Number.self)
      offset += MemoryLayout<Number>.size
    }
  }

  private static func storePacked(
    _ samples: UnsafeBufferPointer<Float>, in bytes: UnsafeMutableRawBufferPointer
  ) {
    var offset = 0
    for sample in samples {
      let whole = PCMSample.int24(sample)
      bytes[offset] = UInt8(truncatingIfNeeded: whole)
      bytes[offset + 1] = UInt8(truncatingIfNeeded: whole >> 8)
      bytes[offset + 2] = UInt8(truncatingIfNeeded: whole >> 16)
      offset += 3
    }
  }
}

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
