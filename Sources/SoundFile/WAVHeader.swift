/// What the header of a WAV file promises, before libsndfile corrects it by the file's size.
struct WAVHeader: Equatable {
  let promisedFrames: Int

  /// Looks for the chunks `fmt ` and `data`; nil where this is no plain WAV, or its length is
  /// unknown (a recorder that streams writes 0, or the largest number there is).
  ///
  /// - Parameter bytes: gives up to so many bytes of the file at a place.
  init?(bytes: (_ offset: Int, _ count: Int) -> [UInt8]) {
    let start = bytes(0, 12)
    guard start.starts(with: "RIFF".utf8), start.dropFirst(8).starts(with: "WAVE".utf8) else {
      return nil
    }
    var offset = 12
    var bytesPerFrame = 0
    // Chunks before the data are few; a damaged file must not send us round for ever.
    for _ in 0..<64 {
      let head = bytes(offset, 8 + 16)
      guard head.count >= 8 else { return nil }
      let size = Int(head[4...].littleEndian(4))
      if head.starts(with: "fmt ".utf8) { bytesPerFrame = Self.bytesPerFrame(head.dropFirst(8)) }
      if head.starts(with: "data".utf8) {
        guard bytesPerFrame > 0, size > 0, size < 0x7FFF_F000 else { return nil }
        promisedFrames = size / bytesPerFrame
        return
      }
      offset += 8 + size + size % 2
    }
    return nil
  }

  /// 0 for encodings that pack several frames into a block.
  private static func bytesPerFrame(_ format: ArraySlice<UInt8>) -> Int {
    guard format.count >= 16 else { return 0 }
    let (integer, float, aLaw, muLaw, extensible): (UInt32, UInt32, UInt32, UInt32, UInt32) =
      (1, 3, 6, 7, 0xFFFE)
    let tag = format.littleEndian(2)
    guard [integer, float, aLaw, muLaw, extensible].contains(tag) else { return 0 }
    return Int(format.dropFirst(12).littleEndian(2))
  }
}

extension ArraySlice<UInt8> {
  /// The first bytes as a number, the lowest first.
  fileprivate func littleEndian(_ count: Int) -> UInt32 {
    prefix(count).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
