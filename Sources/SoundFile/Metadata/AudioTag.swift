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
  /// The number in libsndfile, and the chunk name in a WAV file's INFO list.
  fileprivate var names: (library: Int, info: String?) {
    switch self {
    case .title: (SF_STR_TITLE, "INAM")
    case .artist: (SF_STR_ARTIST, "IART")
    case .album: (SF_STR_ALBUM, "IPRD")
    case .date: (SF_STR_DATE, "ICRD")
    case .trackNumber: (SF_STR_TRACKNUMBER, "ITRK")
    case .genre: (SF_STR_GENRE, "IGNR")
    case .comment: (SF_STR_COMMENT, "ICMT")
    case .copyright: (SF_STR_COPYRIGHT, "ICOP")
    case .license: (SF_STR_LICENSE, nil)
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
  var inOrder: [(key: AudioTag, value: String)] {
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
