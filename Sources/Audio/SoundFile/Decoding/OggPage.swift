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

/// The links of a chained Ogg file, which consists of concatenated files.
struct OggLinks {
  /// The offsets of the links in bytes.
  private(set) var starts = [0]
  /// Whether the last page is incomplete.
  private(set) var isCutOff = false
  private var isInHead = true

  /// Records a page; returns true if it begins a link.
  mutating func begins(with page: OggPage, at offset: Int) -> Bool {
    defer { isInHead = page.isFirst }
    guard page.isFirst, !isInHead else { return false }
    starts.append(offset)
    return true
  }

  init() {}

  /// Scans a file by reading only the page headers.
  init(_ file: FilePart) {
    var offset = 0
    while offset < file.length {
      let head = file.bytes(at: offset, count: OggPage.longestHead)
      guard let page = OggPage(head[...]) else {
        isCutOff = head.starts(with: "OggS".utf8)
        // Other data may follow a page.
        guard !isCutOff, let next = file.page(after: offset) else { return }
        offset = next
        continue
      }
      _ = begins(with: page, at: offset)
      offset += page.byteCount
    }
    isCutOff = offset > file.length
  }
}

extension FilePart {
  /// The offset of the next page signature after an offset; nil if there is none.
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
