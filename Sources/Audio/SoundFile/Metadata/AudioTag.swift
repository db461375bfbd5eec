import CSndFile

/// The name of a tag in a sound file, in capitals as in Vorbis comments: `ALBUMARTIST`.
public struct AudioTag: Hashable, Sendable, CustomStringConvertible {
  /// The name of the piece.
  public static let title = AudioTag("TITLE")
  /// The performer.
  public static let artist = AudioTag("ARTIST")
  /// The album of the piece.
  public static let album = AudioTag("ALBUM")
  /// The day or the year of the recording, as written.
  public static let date = AudioTag("DATE")
  /// The track number on the album.
  public static let trackNumber = AudioTag("TRACKNUMBER")
  /// The genre.
  public static let genre = AudioTag("GENRE")
  /// A comment.
  public static let comment = AudioTag("COMMENT")
  /// The copyright holder.
  public static let copyright = AudioTag("COPYRIGHT")
  /// The license.
  public static let license = AudioTag("LICENSE")

  /// The tags that most containers support, in display order.
  public static let common = [
    title, artist, album, date, trackNumber, genre, comment, copyright, license,
  ]

  /// The name in capitals.
  public let name: String

  /// Creates a tag with this name.
  public init(_ name: String) {
    self.name = name.uppercased()
  }

  /// The name.
  public var description: String { name }

  /// Whether Vorbis comments can store this name: visible ASCII without an equals sign.
  public var isStorable: Bool {
    !name.isEmpty && name.utf8.allSatisfy { (0x20...0x7D).contains($0) && $0 != 0x3D }
  }

  /// Whether the tag describes the encoded file instead of the piece, so its value is wrong in
  /// another file.
  package var isDerived: Bool {
    let plain = name.hasPrefix("COMMENT:") ? String(name.dropFirst(8)) : name
    return ["LENGTH", "TLEN", "ITUNSMPB", "ITUNNORM", "ENCODER"].contains(plain)
  }

  /// Whether the tag names the program that wrote the file; such tags are not copied.
  var isEncoder: Bool { ["ENCODER", "ENCODING", "ENCODEDBY", "SOFTWARE"].contains(name) }
}

extension [AudioTag: [String]] {
  /// Adds at most `most` values of a text, in which zero bytes separate the values.
  ///
  /// - Returns: the number of values found, at most `most` + 1.
  @discardableResult
  mutating func add(_ name: String, _ text: String, atMost most: Int = .max) -> Int {
    guard !name.isEmpty else { return 0 }
    let values = text.split(separator: "\0", maxSplits: most)
    if !values.isEmpty { self[AudioTag(name), default: []] += values.prefix(most).map(String.init) }
    return values.count
  }

  /// The tags in order: common tags first, then other tags by name.
  package var inOrder: [(tag: AudioTag, values: [String])] {
    let others = keys.filter { !AudioTag.common.contains($0) }.sorted { $0.name < $1.name }
    return (AudioTag.common + others).compactMap { tag in self[tag].map { (tag, $0) } }
  }
}

extension AudioTag {
  /// The tag's number in libsndfile; nil if it has none.
  fileprivate var libraryNumber: Int? {
    switch self {
    case .title: SF_STR_TITLE
    case .artist: SF_STR_ARTIST
    case .album: SF_STR_ALBUM
    case .date: SF_STR_DATE
    case .trackNumber: SF_STR_TRACKNUMBER
    case .genre: SF_STR_GENRE
    case .comment: SF_STR_COMMENT
    case .copyright: SF_STR_COPYRIGHT
    case .license: SF_STR_LICENSE
    default: nil
    }
  }
}

extension SoundFileHandle {
  /// The tags of the file; the corresponding C function is `sf_get_string`.
  var tags: [AudioTag: [String]] {
    var tags: [AudioTag: [String]] = [:]
    for tag in AudioTag.common {
      guard let number = tag.libraryNumber, let text = sf_get_string(file, Int32(number)) else {
        continue
      }
      tags.add(tag.name, String(cString: text))
    }
    return tags
  }

  /// Stores the tags that the container supports, before the first samples are written.
  ///
  /// The corresponding C function is `sf_set_string`.
  func store(_ tags: [AudioTag: [String]]) {
    for (tag, values) in tags.inOrder {
      guard let number = tag.libraryNumber else { continue }
      sf_set_string(file, Int32(number), values.joined(separator: "; "))
    }
  }
}
