/// Updates the length tag of an MP3 file while the file grows.
///
/// LAME reserves the first block for the tag and fills it at the end. For an unclosed file,
/// libsndfile would guess the length, with an error of a second in four minutes.
struct MP3LengthTag {
  private let start: Int
  private var next: Int
  private var blockCount = 0
  private var offset = 0

  /// - Parameter start: the number of bytes before the first block, such as those of an ID3 tag.
  init(from start: Int = 0) {
    (self.start, next) = (start, start)
  }

  /// Counts the new blocks, and writes the total numbers of blocks and bytes to the tag.
  mutating func update(_ file: GrowingFile) {
    let before = blockCount
    count(file)
    // The first block is reserved for the tag and has no audio, so it alone causes no update.
    if blockCount > max(1, before) { write(file) }
  }

  /// Writes the tag again after LAME has closed the file.
  ///
  /// The totals in the tag exclude blocks that could not be written.
  mutating func settle(_ file: GrowingFile) {
    count(file)
    if blockCount > 1 { write(file) }
  }

  private mutating func count(_ file: GrowingFile) {
    while let header = header(file), next + header.byteCount <= file.length {
      if blockCount == 0 { offset = start + header.contentOffset }
      next += header.byteCount
      blockCount += 1
    }
  }

  private func header(_ file: GrowingFile) -> MPEGFrameHeader? {
    file.number32(at: next).flatMap(MPEGFrameHeader.init)
  }

  private func write(_ file: GrowingFile) {
    let (name, hasBlocksAndBytes) = (0x496E_666F as UInt32, 0b11 as UInt32)  // "Info"
    let (blocks, bytes) = (UInt32(clamping: blockCount - 1), UInt32(clamping: next - start))
    let tag = (
      name.bigEndian, hasBlocksAndBytes.bigEndian, blocks.bigEndian, bytes.bigEndian
    )
    withUnsafeBytes(of: tag) { _ = file.write($0, at: offset) }
  }
}
