import CSndFile

/// A tag in a sound file that describes its audio.
public enum AudioTag: String, Hashable, Sendable, CaseIterable {
  /// The name of the piece.
  case title
  /// The performer.
  case artist
  /// The album of the piece.
  case album
  /// The day or the year of the recording, as written.
  case date
  /// The track number on the album.
  case trackNumber
  /// The genre.
  case genre
  /// A comment.
  case comment
  /// The copyright holder.
  case copyright
  /// The license.
  case license
}

extension AudioTag {
  /// The number in libsndfile, the chunk name in a WAV file's INFO list, and the frame names in ID3,
  /// for version 2.2 and later.
  fileprivate var names: (library: Int, info: String?, id3: [String]) {
    switch self {
    case .title: (SF_STR_TITLE, "INAM", ["TIT2", "TT2"])
    case .artist: (SF_STR_ARTIST, "IART", ["TPE1", "TP1"])
    case .album: (SF_STR_ALBUM, "IPRD", ["TALB", "TAL"])
    case .date: (SF_STR_DATE, "ICRD", ["TDRC", "TYER", "TYE"])
    case .trackNumber: (SF_STR_TRACKNUMBER, "ITRK", ["TRCK", "TRK"])
    case .genre: (SF_STR_GENRE, "IGNR", ["TCON", "TCO"])
    case .comment: (SF_STR_COMMENT, "ICMT", ["COMM", "COM"])
    case .copyright: (SF_STR_COPYRIGHT, "ICOP", ["TCOP", "TCR"])
    case .license: (SF_STR_LICENSE, nil, [])
    }
  }

  /// The name in a Vorbis comment.
  var vorbisName: String { self == .trackNumber ? "TRACKNUMBER" : rawValue.uppercased() }
}

extension [AudioTag: String] {
  /// Creates the tags from Vorbis comments, each `NAME=text`.
  init(vorbisComments: [String]) {
    self.init()
    for comment in vorbisComments {
      guard let equals = comment.firstIndex(of: "=") else { continue }
      let name = comment[..<equals].uppercased()
      guard let tag = AudioTag.allCases.first(where: { $0.vorbisName == name }) else { continue }
      let text = String(comment[comment.index(after: equals)...])
      self[tag] = self[tag].map { "\($0); \(text)" } ?? text
    }
  }

  /// The tags as Vorbis comments, in the order of the cases.
  var vorbisComments: [(name: String, text: String)] {
    inOrder.map { ($0.key.vorbisName, $0.value) }
  }

  /// The tags in the order of the cases.
  fileprivate var inOrder: [(key: AudioTag, value: String)] {
    AudioTag.allCases.compactMap { tag in self[tag].map { (tag, $0) } }
  }

  /// The tags as a WAV file's INFO list, a whole chunk; empty without tags.
  var infoChunk: [UInt8] {
    let texts = inOrder.flatMap { tag, text -> [UInt8] in
      guard let name = tag.names.info else { return [] }
      let bytes = [UInt8](text.utf8) + [0]
      return chunkHead(name, bytes.count) + bytes + (bytes.count.isMultiple(of: 2) ? [] : [0])
    }
    guard !texts.isEmpty else { return [] }
    return chunkHead("LIST", texts.count + 4) + [UInt8]("INFO".utf8) + texts
  }
}

extension SoundFileHandle {
  /// The tags of the file; the corresponding C function is `sf_get_string`.
  var tags: [AudioTag: String] {
    var tags: [AudioTag: String] = [:]
    for tag in AudioTag.allCases {
      guard let text = sf_get_string(file, Int32(tag.names.library)) else { continue }
      let string = String(cString: text)
      if !string.isEmpty { tags[tag] = string }
    }
    return tags
  }

  /// Stores the tags that the container supports, before the first samples are written.
  ///
  /// The corresponding C function is `sf_set_string`.
  func store(_ tags: [AudioTag: String]) {
    for (tag, text) in tags.inOrder { sf_set_string(file, Int32(tag.names.library), text) }
  }
}

extension [AudioTag: String] {
  /// Creates the tags from an ID3 tag, version 2, at the start of a file.
  ///
  /// - Parameter bytes: the whole tag; compressed and truncated frames are skipped.
  init(id3 bytes: [UInt8]) {
    self.init()
    guard bytes.count > 10, bytes.starts(with: "ID3".utf8) else { return }
    let version = bytes[3]
    let (nameLength, headLength) = version == 2 ? (3, 6) : (4, 10)
    var offset = 10
    while offset + headLength <= bytes.count, bytes[offset] != 0 {
      let name = String(decoding: bytes[offset..<offset + nameLength], as: UTF8.self)
      let bits = version == 4 ? 7 : 8
      let size = bytes[offset + nameLength..<offset + (version == 2 ? 6 : 8)]
        .reduce(0) { $0 << bits | Int($1) }
      let start = offset + headLength
      guard size > 0, size <= bytes.count - start else { return }
      let tag = AudioTag.allCases.first { $0.names.id3.contains(name) }
      if let tag, let text = id3Text(bytes[start..<start + size], isComment: tag == .comment) {
        self[tag] = self[tag] ?? text
      }
      offset = start + size
    }
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
