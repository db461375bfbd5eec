import FoundationEssentials

/// As much of a WAV file's header as tells its duration; the real reader is in the module
/// `SoundFile`.
struct WAVHeader {
  let duration: Duration

  /// Reads the first bytes of a file; nil where they are no WAV header.
  init?(_ bytes: Data) {
    let bytes = [UInt8](bytes)
    guard bytes.count > 12, bytes[0..<4].elementsEqual("RIFF".utf8),
      bytes[8..<12].elementsEqual("WAVE".utf8)
    else { return nil }
    var bytesPerSecond: UInt32?
    var offset = 12
    while offset + 8 <= bytes.count {
      let name = bytes[offset..<offset + 4]
      let size = bytes.littleEndian(at: offset + 4)
      if name.elementsEqual("fmt ".utf8), offset + 20 <= bytes.count {
        bytesPerSecond = bytes.littleEndian(at: offset + 16)
      }
      if name.elementsEqual("data".utf8), let bytesPerSecond, bytesPerSecond > 0 {
        duration = .seconds(Double(size) / Double(bytesPerSecond))
        return
      }
      offset += 8 + Int(size) + Int(size & 1)
    }
    return nil
  }
}

extension [UInt8] {
  fileprivate func littleEndian(at index: Int) -> UInt32 {
    self[index..<index + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
