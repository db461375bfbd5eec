extension AudioTag {
  /// The names of the tag's frame in ID3, of version 2.4 first; empty if ID3 has no such frame.
  fileprivate var frameNames: [String] {
    switch self {
    case .title: ["TIT2", "TT2"]
    case .artist: ["TPE1", "TP1"]
    case .album: ["TALB", "TAL"]
    case .date: ["TDRC", "TYER", "TYE"]
    case .trackNumber: ["TRCK", "TRK"]
    case .genre: ["TCON", "TCO"]
    case .comment: ["COMM", "COM"]
    case .copyright: ["TCOP", "TCR"]
    case .license: []
    }
  }
}

extension [AudioTag: String] {
  /// The number of bytes of an ID3 tag, version 2, that are read and written; more is a picture.
  static let longestID3Tag = 1 << 20

  /// The tags as an ID3 tag, version 2.4, in UTF-8; empty without tags.
  ///
  /// A text that makes the tag too long is left out. LAME would take the bytes of UTF-8 for Latin-1.
  var id3Tag: [UInt8] {
    let headSize = 10
    var frames: [UInt8] = []
    for (tag, text) in inOrder {
      guard let name = tag.frameNames.first else { continue }
      // The coding is UTF-8. A comment has an unknown language and an empty title.
      let body = [3] + (tag == .comment ? Array("XXX\0".utf8) : []) + Array(text.utf8)
      let frame = Array(name.utf8) + syncsafe(body.count) + [0, 0] + body
      if headSize + frames.count + frame.count <= Self.longestID3Tag { frames += frame }
    }
    guard !frames.isEmpty else { return [] }
    return Array("ID3".utf8) + [4, 0, 0] + syncsafe(frames.count) + frames
  }
}

/// A number in four bytes of 7 bits each, which no decoder mistakes for the start of a block.
private func syncsafe(_ value: Int) -> [UInt8] {
  (0..<4).map { UInt8(truncatingIfNeeded: value >> (7 * (3 - $0)) & 0x7F) }
}

extension [AudioTag: String] {
  /// Creates the tags from an ID3 tag, version 2, at the start of a file.
  ///
  /// - Parameter bytes: the whole tag; truncated, compressed, encrypted, and grouped frames are
  ///   skipped.
  init(id3 bytes: [UInt8]) {
    self.init()
    guard bytes.count > 10, bytes.starts(with: "ID3".utf8) else { return }
    let (version, isUnsynchronized) = (bytes[3], bytes[5] & 0x80 != 0)
    let bytes = version < 4 && isUnsynchronized ? resynchronized(bytes) : bytes
    let (nameLength, headLength) = version == 2 ? (3, 6) : (4, 10)
    var offset = 10
    while offset + headLength <= bytes.count, bytes[offset] != 0 {
      let name = String(decoding: bytes[offset..<offset + nameLength], as: UTF8.self)
      let bits = version == 4 ? 7 : 8
      let size = bytes[offset + nameLength..<offset + (version == 2 ? 6 : 8)]
        .reduce(0) { $0 << bits | Int($1) }
      let start = offset + headLength
      guard size > 0, size <= bytes.count - start else { return }
      let tag = AudioTag.allCases.first { $0.frameNames.contains(name) }
      // Bytes that belong to such a form precede the text.
      let forms: UInt8 = version == 4 ? 0b0100_1101 : 0b1110_0000
      let isPlain = version == 2 || bytes[offset + 9] & forms == 0
      if let tag, isPlain,
        let text = id3Text(bytes[start..<start + size], isComment: tag == .comment)
      {
        self[tag] = self[tag] ?? text
      }
      offset = start + size
    }
  }
}

/// Removes the zeros after bytes of 255, which keep decoders from taking UTF-16 for a block.
private func resynchronized(_ bytes: [UInt8]) -> [UInt8] {
  var previous: UInt8 = 0
  return bytes.filter { byte in
    defer { previous = byte }
    return previous != 0xFF || byte != 0
  }
}

/// The text of a frame, which begins with its coding; a comment then has a language and a title.
private func id3Text(_ frame: ArraySlice<UInt8>, isComment: Bool) -> String? {
  guard let coding = frame.first else { return nil }
  let bytes = frame.dropFirst(isComment ? 4 : 1)
  let isWide = coding == 1 || coding == 2
  let units: [UInt16] = isWide ? wideUnits(bytes, isBigEndian: coding == 2) : bytes.map(UInt16.init)
  var texts = units.split(separator: 0, omittingEmptySubsequences: false)[...]
  // The title, which may be empty, precedes the comment.
  if isComment { texts = texts.dropFirst() }
  guard let text = texts.first(where: { !$0.isEmpty }) else { return nil }
  if coding == 3 {
    return String(decoding: text.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }
  // A byte of Latin-1 is the number of its character.
  return String(decoding: text.filter { $0 != 0xFEFF }, as: UTF16.self)
}

/// Decodes UTF-16 in the byte order of its mark.
private func wideUnits(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt16] {
  let bytes = Array(bytes)
  var isBigEndian = isBigEndian
  return stride(from: 0, to: bytes.count - 1, by: 2).map { index in
    let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
    if first == 0xFE, second == 0xFF { isBigEndian = true }
    if first == 0xFF, second == 0xFE { isBigEndian = false }
    return isBigEndian ? first << 8 | second : second << 8 | first
  }
}

extension [AudioTag: String] {
  /// The size of an ID3 tag, version 1, at the end of a file.
  static let id3v1Size = 128

  /// Creates the tags from the last bytes of a file; none if the bytes are not an ID3 tag, version 1.
  ///
  /// Its texts are Latin-1 of fixed lengths. A track number may occupy the end of the comment.
  init(id3v1 bytes: [UInt8]) {
    self.init()
    guard bytes.count == Self.id3v1Size, bytes.starts(with: "TAG".utf8) else { return }
    let isNumbered = bytes[125] == 0 && bytes[126] != 0
    let fields: [(AudioTag, Range<Int>)] = [
      (.title, 3..<33), (.artist, 33..<63), (.album, 63..<93), (.date, 93..<97),
      (.comment, 97..<(isNumbered ? 125 : 127)),
    ]
    for (tag, range) in fields {
      var text = bytes[range].prefix { $0 != 0 }
      while text.last == UInt8(ascii: " ") { text.removeLast() }
      if !text.isEmpty { self[tag] = String(decoding: text.map(UInt16.init), as: UTF16.self) }
    }
    if isNumbered { self[.trackNumber] = "\(bytes[126])" }
    if Int(bytes[127]) < id3v1Genres.count { self[.genre] = id3v1Genres[Int(bytes[127])] }
  }
}

/// The genres of ID3, version 1, by their numbers.
private let id3v1Genres = [
  "Blues", "Classic Rock", "Country", "Dance", "Disco", "Funk", "Grunge", "Hip-Hop", "Jazz",
  "Metal", "New Age", "Oldies", "Other", "Pop", "R&B", "Rap", "Reggae", "Rock", "Techno",
  "Industrial", "Alternative", "Ska", "Death Metal", "Pranks", "Soundtrack", "Euro-Techno",
  "Ambient", "Trip-Hop", "Vocal", "Jazz+Funk", "Fusion", "Trance", "Classical", "Instrumental",
  "Acid", "House", "Game", "Sound Clip", "Gospel", "Noise", "Alternative Rock", "Bass", "Soul",
  "Punk", "Space", "Meditative", "Instrumental Pop", "Instrumental Rock", "Ethnic", "Gothic",
  "Darkwave", "Techno-Industrial", "Electronic", "Pop-Folk", "Eurodance", "Dream",
  "Southern Rock", "Comedy", "Cult", "Gangsta", "Top 40", "Christian Rap", "Pop/Funk", "Jungle",
  "Native US", "Cabaret", "New Wave", "Psychedelic", "Rave", "Showtunes", "Trailer", "Lo-Fi",
  "Tribal", "Acid Punk", "Acid Jazz", "Polka", "Retro", "Musical", "Rock & Roll", "Hard Rock",
]
