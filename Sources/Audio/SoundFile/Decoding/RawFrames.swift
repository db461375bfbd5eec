import AudioCore

extension StreamInput {
  /// Returns a function that reads samples without a header, little-endian and interleaved.
  ///
  /// The function returns the frames that have arrived, at least one; nil at the end. An incomplete
  /// frame at the end is dropped.
  func rawFrames(
    format: AudioFormat, samples: SoundFileEncoding.SampleFormat
  ) throws(SoundFileError) -> (_ count: FrameCount) throws -> AudioBuffer? {
    guard !source.isDirectory else { throw .isDirectory(path: path) }
    let size = samples.byteCount * format.channelCount
    var position: FrameCount = 0
    // The bytes of an incomplete frame.
    var rest: [UInt8] = []
    return { [self] count in
      while rest.count < size {
        let bytes = try next(atMost: count.rawValue * size - rest.count)
        if bytes.isEmpty {
          guard position > 0 else { throw SoundFileError.empty(path: path) }
          return nil
        }
        rest += bytes
      }
      let frames = rest.count / size
      let values = (0..<frames * format.channelCount).map { index in
        samples.sample(rest[(index * samples.byteCount)...])
      }
      rest.removeFirst(frames * size)
      defer { position += FrameCount(frames) }
      return AudioBuffer(format: format, samples: values, firstFrame: position)
    }
  }
}

extension SoundFileEncoding.SampleFormat {
  /// Decodes the little-endian sample in the first bytes; full scale is ±1.
  fileprivate func sample(_ bytes: ArraySlice<UInt8>) -> Float {
    let bits: UInt32 = bytes.prefix(byteCount).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    return switch self {
    case .int16: Float(Int16(truncatingIfNeeded: bits)) / 32_768
    case .int24: Float(Int32(truncatingIfNeeded: bits << 8) >> 8) / 8_388_608
    case .int32: Float(Int32(bitPattern: bits)) / 2_147_483_648
    case .float: Float(bitPattern: bits)
    }
  }
}
