import AudioCore
import CVorbis

/// A FLAC file with our metadata blocks instead of libFLAC's comments.
///
/// libsndfile stores only some tags, and no pictures. The encoder sees a file without our blocks.
/// The encoder writes the header in order and later updates only the first block.
final class CommentedFLAC: VirtualStorage {
  /// The size of the signature `fLaC` and the first metadata block, in bytes.
  private static let firstSize = 42

  private let file: GrowingFile
  private let blocks: [UInt8]
  /// The file offset at which the cue sheet stores the end of the audio; nil if there is no cue
  /// sheet.
  private var sheetEnd: Int?
  /// The bytes of the incomplete header.
  private var head: [UInt8] = []
  /// The size of the replaced block; nil until the header is complete.
  private var replaced: Int?

  init(_ file: GrowingFile, _ metadata: AudioMetadata, rate: SampleRate) {
    self.file = file
    var contents: [(type: UInt8, bytes: [UInt8])] = []
    let sheet = file.isStream ? [] : metadata.cueSheet
    if !sheet.isEmpty {
      contents.append((5, sheet))
      sheetEnd = Self.firstSize + 4 + sheet.count - AudioMetadata.sheetTrackSize
    }
    contents.append((4, metadata.vorbisComments(at: rate, hasPictures: false)))
    if let set = TagSet() {
      set.add(metadata.pictures)
      contents += set.pictureBlocks().map { (6, $0) }
    }
    contents.removeAll { $0.bytes.count > AudioMetadata.largestFLACBlock }
    var blocks: [UInt8] = []
    for (index, block) in contents.enumerated() {
      let isLast = index == contents.count - 1
      blocks.append(block.type | (isLast ? 0x80 : 0))
      blocks += little(block.bytes.count, 3).reversed()
      blocks += block.bytes
    }
    self.blocks = blocks
  }

  var length: Int { replaced.map { file.length - blocks.count + $0 } ?? head.count }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
    if let replaced {
      let isInFirst = offset + bytes.count <= Self.firstSize
      return file.write(bytes, at: isInFirst ? offset : offset - replaced + blocks.count)
    }
    guard offset == head.count else { return 0 }
    head += bytes
    let first = Self.firstSize
    guard head.count >= first + 4 else { return bytes.count }
    let size = 4 + head[first + 1..<first + 4].reduce(0) { $0 << 8 | Int($1) }
    guard head.count >= first + size else { return bytes.count }
    replaced = size
    let whole = head[..<first] + blocks + head[(first + size)...]
    head = []
    return Array(whole).withUnsafeBytes { file.append($0) } == whole.count ? bytes.count : 0
  }

  /// Writes the length of the audio into the cue sheet.
  func complete(frames: FrameCount) {
    guard let sheetEnd else { return }
    withUnsafeBytes(of: UInt64(frames.rawValue).bigEndian) { _ = file.write($0, at: sheetEnd) }
  }
}

extension AudioMetadata {
  /// The largest content of a block, whose size has 24 bits.
  static let largestFLACBlock = 0xFF_FFFF
  /// The size of a cue sheet's last track, the lead-out, which has no indices.
  fileprivate static let sheetTrackSize = 36

  /// The cues as a cue sheet, which stores exact frames but no names; empty without cues.
  ///
  /// The last track marks the end of the audio; its offset is 0 until the length is known.
  fileprivate var cueSheet: [UInt8] {
    let most = 254
    guard !cues.isEmpty, cues.count <= most else { return [] }
    // The cue sheet begins with a catalog number, the lead-in, a flag for compact discs, and
    // reserved bytes.
    var sheet = [UInt8](repeating: 0, count: 128 + 8 + 1 + 258)
    sheet.append(UInt8(cues.count + 1))
    for (index, cue) in cues.sorted(by: { $0.frame < $1.frame }).enumerated() {
      sheet += little(cue.frame.rawValue, 8).reversed()
      sheet.append(UInt8(index + 1))
      sheet += [UInt8](repeating: 0, count: 12 + 14)
      // The track has a single index, number 1, at its beginning.
      sheet.append(1)
      sheet += [UInt8](repeating: 0, count: 8)
      sheet += [1, 0, 0, 0]
    }
    sheet += [UInt8](repeating: 0, count: 8)
    sheet.append(255)
    sheet += [UInt8](repeating: 0, count: 12 + 14 + 1)
    return sheet
  }
}

/// An Ogg Opus file with our comments instead of those of libsndfile, which stores only some tags.
///
/// If our comments need more pages, all later pages are renumbered.
final class CommentedOpus: VirtualStorage {
  private let file: GrowingFile
  private let comments: [UInt8]
  private var pending: [UInt8] = []
  private(set) var length = 0
  private var pageCount = 0
  /// The number of our pages minus the number of replaced pages; nil before the end of the
  /// comments.
  private var added: Int?

  init(_ file: GrowingFile, _ metadata: AudioMetadata, rate: SampleRate) {
    self.file = file
    comments = Array("OpusTags".utf8) + metadata.vorbisComments(at: rate)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
    guard offset == length else { return 0 }
    pending += bytes
    length += bytes.count
    var done = 0
    while let page = OggPage(pending[done...]), done + page.byteCount <= pending.count {
      guard put(Array(pending[done..<done + page.byteCount])) else { return 0 }
      done += page.byteCount
    }
    pending.removeFirst(done)
    return bytes.count
  }

  /// Writes a page, or writes our comment pages in place of the encoder's; returns false on
  /// failure.
  private func put(_ page: [UInt8]) -> Bool {
    pageCount += 1
    if pageCount == 1 { return append(page) }
    guard let added else {
      // The packet ends on the page whose last segment is not full.
      guard page[26 + Int(page[26])] < 255 else { return true }
      let serial = page[14..<18].reversed().reduce(0) { $0 << 8 | UInt32($1) }
      let own = commentPages(serial: Int32(bitPattern: serial))
      self.added = own.count - (pageCount - 1)
      return own.allSatisfy(append)
    }
    return append(added == 0 ? page : renumbered(page, by: added))
  }

  private func append(_ page: [UInt8]) -> Bool {
    page.withUnsafeBytes { file.append($0) } == page.count
  }

  private func commentPages(serial: Int32) -> [[UInt8]] {
    var stream = ogg_stream_state()
    guard ogg_stream_init(&stream, serial) == 0 else { return [] }
    defer { ogg_stream_clear(&stream) }
    // Without this flag, libogg would mark the page as the first of the stream.
    stream.b_o_s = 1
    stream.pageno = 1
    stream.packetno = 1
    var content = comments
    content.withUnsafeMutableBufferPointer { bytes in
      var packet = ogg_packet()
      packet.packet = bytes.baseAddress
      packet.bytes = bytes.count
      packet.packetno = 1
      _ = ogg_stream_packetin(&stream, &packet)
    }
    var (page, pages): (ogg_page, [[UInt8]]) = (ogg_page(), [])
    while ogg_stream_flush(&stream, &page) != 0 {
      pages.append(
        Array(UnsafeBufferPointer(start: page.header, count: page.header_len))
          + Array(UnsafeBufferPointer(start: page.body, count: page.body_len)))
    }
    return pages
  }

  private func renumbered(_ page: [UInt8], by count: Int) -> [UInt8] {
    var page = page
    let number = page[18..<22].reversed().reduce(0) { $0 << 8 | Int($1) }
    page.replaceSubrange(18..<22, with: little(number + count, 4))
    let headLength = 27 + Int(page[26])
    page.withUnsafeMutableBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      var whole = ogg_page(
        header: start, header_len: headLength, body: start + headLength,
        body_len: bytes.count - headLength)
      ogg_page_checksum_set(&whole)
    }
    return page
  }
}
