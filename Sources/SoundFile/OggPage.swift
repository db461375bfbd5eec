/// The head of a page of an Ogg file.
struct OggPage: Equatable {
  /// The bytes from the start of this page to that of the next.
  let byteCount: Int
  /// Whether a stream begins with it.
  let isFirst: Bool

  /// Room for the longest head.
  static let longestHead = 27 + 255

  /// - Returns: nil where no page begins, or not all of its head is there.
  init?(_ bytes: ArraySlice<UInt8>) {
    let bytes = Array(bytes.prefix(Self.longestHead))
    guard bytes.count >= 27, bytes.starts(with: "OggS".utf8) else { return nil }
    let segments = Int(bytes[26])
    guard bytes.count >= 27 + segments else { return nil }
    byteCount = 27 + segments + bytes[27..<27 + segments].reduce(0) { $0 + Int($1) }
    isFirst = bytes[5] & 2 != 0
  }
}

/// Where the links of a chained Ogg file are: files that were put one after another.
struct OggLinks {
  /// In bytes.
  private(set) var starts = [0]
  /// Whether the last page is not all there.
  private(set) var isCutOff = false
  private var isInHead = true

  /// Notes a page; true where a link begins with it.
  mutating func begins(with page: OggPage, at offset: Int) -> Bool {
    defer { isInHead = page.isFirst }
    guard page.isFirst, !isInHead else { return false }
    starts.append(offset)
    return true
  }

  init() {}

  /// Looks through a file, of which only the heads of the pages are read.
  init(_ file: FilePart) {
    var offset = 0
    while offset < file.length {
      let head = file.bytes(at: offset, count: OggPage.longestHead)
      guard let page = OggPage(head[...]) else {
        isCutOff = head.starts(with: "OggS".utf8)
        // Something else may follow the last page, or be between two.
        guard !isCutOff, let next = file.page(behind: offset) else { return }
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
  /// The place of the next mark of a page behind a place; nil where there is none.
  fileprivate func page(behind offset: Int) -> Int? {
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
