public import AudioCore
import CSndFile

extension SoundFileEncoding.SampleFormat {
  /// Encodes samples for WAV and raw audio: packed, little-endian, with dither at 16 bits.
  ///
  /// `bytes` has room for the samples, with any alignment.
  func encode(
    _ samples: UnsafeBufferPointer<Float>, into bytes: UnsafeMutableRawBufferPointer,
    dither: inout Dither
  ) {
    switch self {
    case .int16: Self.storeDithered(samples, in: bytes, &dither)
    case .int24: Self.storePacked(samples, in: bytes)
    case .int32: Self.store(samples, in: bytes) { $0.int32Sample.littleEndian }
    case .float: Self.store(samples, in: bytes) { $0.bitPattern.littleEndian }
    }
  }

  private static func storeDithered(
    _ samples: UnsafeBufferPointer<Float>, in bytes: UnsafeMutableRawBufferPointer,
    _ dither: inout Dither
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
      let whole = sample.int24Sample
      bytes[offset] = UInt8(truncatingIfNeeded: whole)
      bytes[offset + 1] = UInt8(truncatingIfNeeded: whole >> 8)
      bytes[offset + 2] = UInt8(truncatingIfNeeded: whole >> 16)
      offset += 3
    }
  }
}

extension SoundFileEncoding {
  /// Creates the default encoding for a path extension such as `wav`; case is ignored.
  ///
  /// - Throws: `SoundFileError.unknownExtension`.
  public init(pathExtension: String) throws(SoundFileError) {
    guard let container = Container(pathExtension: pathExtension) else {
      throw .unknownExtension(pathExtension)
    }
    self.init(container)
  }

  /// The sample format that libsndfile receives.
  ///
  /// We convert to integers ourselves. libsndfile would either truncate instead of rounding, or
  /// scale by 32767 without clipping, although it divides by 32768 when reading.
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

  /// Whether the header can be updated while writing; libsndfile would destroy Ogg files.
  var updatesHeader: Bool { sampleSize != nil }

  /// The duration of audio that an encoder may hold without writing a byte; nil if frames are
  /// written at once.
  var longestDelay: Duration? { sampleSize == nil ? .seconds(5) : nil }
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
