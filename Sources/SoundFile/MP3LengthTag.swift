/// Keeps the length that an MP3 file tells up to date while the file grows.
///
/// LAME leaves the first block to that and fills it at the very end. Of a file that was never
/// closed libsndfile would guess the length, and be wrong by a second in every four minutes.
struct MP3LengthTag {
  private var next = 0
  private var blockCount = 0
  private var offset = 0

  /// Looks at the blocks that have come, and tells how many there are.
  mutating func update(_ file: GrowingFile) {
    let before = blockCount
    count(file)
    // The first block holds no sound.
    if blockCount > max(1, before) { write(file) }
  }

  /// Tells the length of a file that LAME has closed, and that lacks what could not be written.
  mutating func settle(_ file: GrowingFile) {
    count(file)
    if blockCount > 1 { write(file) }
  }

  private mutating func count(_ file: GrowingFile) {
    while let header = header(file), next + header.byteCount <= file.length {
      if blockCount == 0 { offset = header.contentOffset }
      next += header.byteCount
      blockCount += 1
    }
  }

  private func header(_ file: GrowingFile) -> MPEGFrameHeader? {
    file.descriptor.number32(at: next).flatMap(MPEGFrameHeader.init)
  }

  private func write(_ file: GrowingFile) {
    let (name, hasBlocksAndBytes) = (0x496E_666F as UInt32, 0b11 as UInt32)  // "Info"
    let (blocks, bytes) = (UInt32(clamping: blockCount - 1), UInt32(clamping: next))
    let tag = (
      name.bigEndian, hasBlocksAndBytes.bigEndian, blocks.bigEndian, bytes.bigEndian
    )
    withUnsafeBytes(of: tag) { _ = file.write($0, at: offset) }
  }
}
