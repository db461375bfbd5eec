import CTagLib

/// The header of a page of an Ogg file.
struct OggPage: Equatable {
  /// The number of bytes from this page to the next.
  let byteCount: Int
  /// Whether the page is the first of a stream.
  let isFirst: Bool

  /// The maximum length of a header.
  static let longestHead = 27 + 255

  /// - Returns: nil if the bytes do not begin with a complete page header.
  init?(_ bytes: ArraySlice<UInt8>) {
    let bytes = Array(bytes.prefix(Self.longestHead))
    guard bytes.count >= 27, bytes.starts(with: "OggS".utf8) else { return nil }
    let segments = Int(bytes[26])
    guard bytes.count >= 27 + segments else { return nil }
    byteCount = 27 + segments + bytes[27..<27 + segments].reduce(0) { $0 + Int($1) }
    isFirst = bytes[5] & 2 != 0
  }
}

/// The links of a chained Ogg file or stream, which consists of concatenated files.
struct OggLinks {
  /// The offsets of the links in bytes; unknown for a stream.
  private(set) var starts = [0]
  /// Whether the last page is incomplete.
  private(set) var isCutOff = false
  private var isInHead = true

  /// The received bytes of a stream that have not been returned yet: an incomplete page header, or
  /// the beginning of the next link.
  private var pending: [UInt8] = []
  /// The number of bytes of the stream's current page that have not been returned yet.
  private var missing = 0
  private var isOgg = true

  /// Records a page; returns true if it begins a link.
  private mutating func begins(with page: OggPage) -> Bool {
    defer { isInHead = page.isFirst }
    return page.isFirst && !isInHead
  }

  /// Scans a file by reading only the page headers.
  init(_ file: FilePart) {
    var offset = 0
    while offset < file.length {
      let head = file.bytes(at: offset, count: OggPage.longestHead)
      guard let page = OggPage(head[...]) else {
        isCutOff = head.starts(with: "OggS".utf8)
        // Other data may follow a page, so the next page is found by its signature.
        guard !isCutOff, let next = file.page(after: offset) else { return }
        offset = next
        continue
      }
      if begins(with: page) { starts.append(offset) }
      offset += page.byteCount
    }
    isCutOff = offset > file.length
  }

  /// Creates the links of a stream; `divide` finds them as the bytes arrive.
  init() {}

  /// Adds received bytes of a stream; returns the bytes that belong to the current link, and
  /// whether the link ends.
  mutating func divide(_ bytes: [UInt8]) -> (bytes: [UInt8], isEnd: Bool) {
    pending += bytes
    var (passed, isEnd) = (0, false)
    while passed < pending.count, isOgg, !isEnd {
      if missing == 0 {
        let head = pending[passed...]
        guard let page = OggPage(head) else {
          if !head.isIncompleteHead { isOgg = false }
          break
        }
        isEnd = begins(with: page)
        missing = page.byteCount
      }
      let count = isEnd ? 0 : min(missing, pending.count - passed)
      missing -= count
      passed += count
    }
    if !isOgg { passed = pending.count }
    isCutOff = isOgg && (missing > 0 || passed < pending.count)
    defer { pending.removeFirst(passed) }
    return (Array(pending[..<passed]), isEnd)
  }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes may be an incomplete page header.
  fileprivate var isIncompleteHead: Bool {
    count < OggPage.longestHead && "OggS".utf8.starts(with: prefix(4))
  }
}

extension FilePart {
  /// Returns the offset of the next page signature after an offset; nil if there is none.
  fileprivate func page(after offset: Int) -> Int? {
    let mark = Array("OggS".utf8)
    var start = offset + 1
    while start + mark.count <= length {
      let block = bytes(at: start, count: 1 << 16)
      guard block.count >= mark.count else { return nil }
      let last = block.count - mark.count
      if let found = (0...last).first(where: { block[$0...].starts(with: mark) }) {
        return start + found
      }
      start += last + 1
    }
    return nil
  }
}

extension OggPage {
  /// The length of the longest packet to read.
  private static let longestPacket = 2 * Int(SYRINX_LARGEST_TAG)

  /// Returns the number of bytes of the pages with the first two packets; no other stream may be
  /// interleaved.
  ///
  /// - Parameter bytes: returns up to `count` bytes at an offset.
  static func lengthOfTwoPackets(
    _ bytes: (_ offset: Int, _ count: Int) throws(SoundFileError) -> [UInt8]
  ) throws(SoundFileError) -> Int {
    var (offset, packets) = (0, 0)
    while packets < 2 {
      let head = try bytes(offset, 27)
      guard head.count == 27, case let count = Int(head[26]),
        let page = OggPage(try bytes(offset, 27 + count)[...])
      else { break }
      packets += try bytes(offset + 27, count).count { $0 < 255 }
      offset += page.byteCount
    }
    return offset
  }

  /// Returns the comments of a stream: its second packet without the packet's signature.
  ///
  /// Returns nil if the packet is missing or incomplete.
  ///
  /// - Parameter bytes: returns up to `count` bytes at an offset.
  static func comments(_ bytes: (_ offset: Int, _ count: Int) -> [UInt8]) -> [UInt8]? {
    var packets: [[UInt8]] = [[]]
    var (offset, serial): (Int, [UInt8]?) = (0, nil)
    while packets.count <= 2, offset < longestPacket {
      let head = bytes(offset, longestHead)
      guard let page = OggPage(head[...]) else { return nil }
      let own = Array(head[14..<18])
      defer { offset += page.byteCount }
      // Skips the pages of other streams, such as a video, between the pages of the first stream.
      if serial == nil { serial = own }
      guard own == serial else { continue }
      let start = 27 + Int(head[26])
      var rest = bytes(offset + start, page.byteCount - start)[...]
      for lace in head[27..<start] {
        packets[packets.count - 1] += rest.prefix(Int(lace))
        rest = rest.dropFirst(Int(lace))
        if lace < 255 { packets.append([]) }
        if packets.count > 2 { break }
      }
    }
    guard packets.count > 2 else { return nil }
    let (first, second) = (packets[0], packets[1])
    let name =
      first.starts(with: "OpusHead".utf8)
      ? "OpusTags" : first.starts(with: "\u{1}vorbis".utf8) ? "\u{3}vorbis" : nil
    if let name {
      return second.starts(with: name.utf8) ? Array(second.dropFirst(name.utf8.count)) : nil
    }
    if first.starts(with: "Speex   ".utf8) { return second }
    // For FLAC, a block header of four bytes precedes the comments.
    return first.starts(with: "\u{7F}FLAC".utf8) ? Array(second.dropFirst(4)) : nil
  }
}
