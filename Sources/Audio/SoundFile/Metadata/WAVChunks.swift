import AudioCore
import CTagLib

/// The size of the largest chunk to read: a tag with pictures.
private let largestChunk = 2 * Int(SYRINX_LARGEST_TAG)
/// The maximum number of chunks to read, so that a damaged file cannot cause an endless loop.
private let mostChunks = 1_000

/// Reads the chunks of WAV or AIFF that are not audio.
///
/// - Parameters:
///   - isBigEndian: whether the file is AIFF.
///   - names: the names of the chunks to read.
///   - bytes: returns up to `count` bytes at an offset.
/// - Returns: the chunks, and the names of the chunks that were not read, including chunks that are
///   too large or incomplete.
private func readChunks(
  isBigEndian: Bool, names: Set<String>, bytes: (_ offset: Int, _ count: Int) -> [UInt8]
) -> (chunks: [AudioMetadata.Chunk], others: [String]) {
  var (chunks, others): ([AudioMetadata.Chunk], [String]) = ([], [])
  var (offset, longSize, total): (Int, Int?, Int) = (12, nil, 0)
  for _ in 0..<mostChunks {
    let head = bytes(offset, 8)
    guard head.count == 8, head.prefix(4).allSatisfy({ (0x20..<0x7F).contains($0) }) else { break }
    let name = String(decoding: head.prefix(4), as: UTF8.self)
    var size = isBigEndian ? head.big(at: 4, 4) : head.little(at: 4, 4)
    if name == "ds64" { longSize = bytes(offset + 16, 8).little(at: 0, 8) }
    if name == "data", size == 0xFFFF_FFFF {
      guard let longSize, (0..<1 << 50).contains(longSize) else { break }
      size = longSize
    }
    let content =
      names.contains(name) && total + size <= largestChunk ? bytes(offset + 8, size) : []
    if names.contains(name), content.count == size {
      chunks.append(.init(name: name, content: content))
      total += size
    } else if names.contains(name) || size == 0 || !bytes(offset + 7 + size, 1).isEmpty {
      // An unwanted chunk that exceeds the file is not reported: an earlier size was probably
      // wrong, so these bytes are not a chunk's name.
      others.append(name)
    }
    offset += 8 + size + size % 2
  }
  return (chunks, others)
}

extension AudioMetadata {
  /// The chunks that are copied from one WAV file to another, besides lists and tags.
  private static let carried: Set = [
    "bext", "iXML", "axml", "cart", "cue ", "smpl", "inst", "acid", "_PMX", "DISP",
  ]
  private static let tagChunks: Set = ["id3 ", "ID3 "]
  /// The chunks that are not copied, because the writer of a file computes them.
  private static let derived: Set = [
    "fmt ", "fact", "data", "ds64", "PEAK", "levl", "JUNK", "junk", "FLLR", "PAD ", "filr",
  ]
  /// The maximum number of cues to read.
  static let mostCues = 10_000
  /// The maximum number of parts of a list to read: a cue has a name, a length, and a note.
  fileprivate static let mostParts = 4 * mostCues

  /// Reads the chunks of a WAV file.
  init(wav bytes: (_ offset: Int, _ count: Int) -> [UInt8], at rate: SampleRate) {
    self.init()
    let names = Self.carried.union(Self.tagChunks).union(["LIST"])
    let (found, others) = readChunks(isBigEndian: false, names: names, bytes: bytes)
    for chunk in found where Self.tagChunks.contains(chunk.name) {
      add(syrinx_tags_id3v2, chunk.content, at: rate)
    }
    for chunk in found where chunk.isList("INFO") {
      self = completed(by: AudioMetadata(tags: chunk.infoTags))
    }
    chunks = found.filter { Self.carried.contains($0.name) || $0.isList("adtl") }
    readCues()
    let lists = found.filter { $0.name == "LIST" && !$0.isList("INFO") && !$0.isList("adtl") }
    let lost = others.filter { !Self.derived.contains($0) } + lists.map(\.name)
    let known = Set(lost).sorted().prefix(20).map(\.withoutSpaces)
    if found.contains(where: { $0.name == "LIST" && !$0.isWholeList }) {
      notices.append(
        .omitted("the rest of a chunk LIST", reason: "damaged, or beyond 40,000 parts"))
    }
    guard !known.isEmpty else { return }
    notices.append(
      .omitted("the chunks \(known.joined(separator: ", "))", reason: "unknown, or damaged"))
  }

  /// Reads the cues in the chunks, with their texts and lengths.
  private mutating func readCues() {
    guard let points = chunks.first(where: { $0.name == "cue " })?.cuePoints else { return }
    let numbered = chunks.numberedCues
    cues = points.prefix(Self.mostCues).map { point in
      var cue = numbered[point.id] ?? AudioCue(frame: 0)
      cue.frame = FrameCount(point.frame)
      return cue
    }
    guard let lost = (points.count - cues.count).of("a cue", "cues") else { return }
    notices.append(.omitted(lost, reason: "they are beyond 10,000"))
  }

  /// Reads the tag in an AIFF file; libsndfile reads the rest.
  init(aiff bytes: (_ offset: Int, _ count: Int) -> [UInt8], at rate: SampleRate) {
    self.init()
    for chunk in readChunks(isBigEndian: true, names: Self.tagChunks, bytes: bytes).chunks {
      add(syrinx_tags_id3v2, chunk.content, at: rate)
    }
  }

  /// Returns the chunks before the audio of a WAV file.
  func wavChunks(at rate: SampleRate) -> [UInt8] {
    var bytes = infoChunk
    let hasOwnCues = !cues.isEmpty && !chunks.contains { $0.name == "cue " }
    // Old labels would name the wrong cues, because the new cue chunk numbers the cues anew.
    for chunk in chunks where !hasOwnCues || !chunk.hasCues { bytes += chunk.bytes }
    if hasOwnCues { bytes += cueChunk.bytes + labelChunk.bytes }
    let isInInfo = tags.allSatisfy { tag, values in values.count == 1 && tag.infoName != nil }
    if !isInInfo || !pictures.isEmpty {
      let tag = id3Tag(at: rate, hasChapters: false)
      if !tag.isEmpty { bytes += Chunk(name: "id3 ", content: tag).bytes }
    }
    return bytes
  }

  /// Returns the chunks after the audio of an AIFF file.
  func aiffChunks(at rate: SampleRate) -> [UInt8] {
    let native: Set = [AudioTag.title, .artist, .comment, .copyright]
    let isNative = tags.allSatisfy { native.contains($0) && $1.count == 1 }
    var bytes: [UInt8] = []
    if !cues.isEmpty {
      var content = big(min(cues.count, 0x7FFF), 2)
      for (index, cue) in cues.prefix(0x7FFF).enumerated() {
        let name = cue.name.bytes(atMost: 254)
        content += big(index + 1, 2)
        content += big(min(cue.frame.rawValue, 0xFFFF_FFFF), 4)
        // A byte with the length precedes the text; both together have an even size.
        content.append(UInt8(name.count))
        content += name
        if name.count.isMultiple(of: 2) { content.append(0) }
      }
      bytes += Array("MARK".utf8) + big(content.count, 4) + content + padding(content.count)
    }
    if !isNative || !pictures.isEmpty {
      let tag = id3Tag(at: rate, hasChapters: false)
      if !tag.isEmpty {
        bytes += Array("ID3 ".utf8) + big(tag.count, 4) + tag + padding(tag.count)
      }
    }
    return bytes
  }

  /// The chunk with the tags as an INFO list; empty if there are no tags.
  private var infoChunk: [UInt8] {
    let texts = tags.inOrder.flatMap { tag, values -> [UInt8] in
      guard let name = tag.infoName else { return [] }
      let text = Array(values.joined(separator: "; ").utf8) + [0]
      return Chunk(name: name, content: text).bytes
    }
    return texts.isEmpty ? [] : Chunk(name: "LIST", content: Array("INFO".utf8) + texts).bytes
  }

  private var cueChunk: Chunk {
    var content = little(cues.count, 4)
    for (index, cue) in cues.enumerated() {
      let frame = little(min(max(0, cue.frame.rawValue), 0xFFFF_FFFF), 4)
      content += little(index + 1, 4)
      content += frame
      content += Array("data".utf8)
      content += little(0, 8)
      content += frame
    }
    return Chunk(name: "cue ", content: content)
  }

  private var labelChunk: Chunk {
    var labels: [UInt8] = []
    for (index, cue) in cues.enumerated() {
      let id = little(index + 1, 4)
      var text = id
      text += cue.name.utf8
      text.append(0)
      labels += Chunk(name: "labl", content: text).bytes
      guard let length = cue.length else { continue }
      var region = id
      region += little(min(max(0, length.rawValue), 0xFFFF_FFFF), 4)
      region += Array("rgn ".utf8)
      region += little(0, 8)
      labels += Chunk(name: "ltxt", content: region).bytes
    }
    return Chunk(name: "LIST", content: Array("adtl".utf8) + labels)
  }
}

extension AudioMetadata.Chunk {
  func isList(_ form: String) -> Bool {
    name == "LIST" && content.starts(with: form.utf8)
  }

  /// The chunk with its header and, after an odd length, a padding byte that the size does not
  /// include.
  var bytes: [UInt8] { chunkHead(name, content.count) + content + padding(content.count) }

  /// The chunks in a list, up to the first damaged chunk and at most `mostParts`.
  var parts: [AudioMetadata.Chunk] { readParts().parts }

  /// Whether `parts` contains all chunks of the list.
  fileprivate var isWholeList: Bool { readParts().end >= content.count }

  private func readParts() -> (parts: [AudioMetadata.Chunk], end: Int) {
    var (parts, offset): ([AudioMetadata.Chunk], Int) = ([], 4)
    while offset + 8 <= content.count, parts.count < AudioMetadata.mostParts {
      let size = content.little(at: offset + 4, 4)
      let name = content[offset..<offset + 4]
      guard size <= content.count - offset - 8, name.allSatisfy({ (0x20..<0x7F).contains($0) })
      else { break }
      parts.append(
        .init(
          name: String(decoding: name, as: UTF8.self),
          content: Array(content[offset + 8..<offset + 8 + size])))
      offset += 8 + size + size % 2
    }
    return (parts, offset)
  }

  fileprivate var infoTags: [AudioTag: [String]] {
    var tags: [AudioTag: [String]] = [:]
    for part in parts {
      let text = part.content.text
      let name = AudioTag.infoNames.first { $0.name == part.name }?.tag.name ?? part.name
      // Two names may mean the same tag, so the same text is added only once.
      if tags[AudioTag(name)]?.contains(text) != true { tags.add(name, text) }
    }
    return tags
  }

  /// The numbers of the cues and their frames.
  fileprivate var cuePoints: [(id: Int, frame: Int)] {
    stride(from: 4, to: content.count - 23, by: 24).prefix(content.little(at: 0, 4)).map {
      (content.little(at: $0, 4), content.little(at: $0 + 20, 4))
    }
  }

  /// The texts and lengths of cues.
  fileprivate var labels: [(id: Int, text: String?, length: Int?)] {
    parts.compactMap { part in
      guard part.content.count >= 4 else { return nil }
      let id = part.content.little(at: 0, 4)
      if part.name == "labl" { return (id, Array(part.content[4...]).text, nil) }
      guard part.name == "ltxt", part.content.count >= 8 else { return nil }
      let length = part.content.little(at: 4, 4)
      return length > 0 ? (id, nil, length) : nil
    }
  }
}

extension [AudioMetadata.Chunk] {
  /// The cues by their numbers, with their texts and lengths.
  var numberedCues: [Int: AudioCue] {
    var cues: [Int: AudioCue] = [:]
    let points = first { $0.name == "cue " }?.cuePoints.prefix(AudioMetadata.mostCues) ?? []
    for point in points where cues[point.id] == nil {
      cues[point.id] = AudioCue(frame: FrameCount(point.frame))
    }
    for label in filter({ $0.isList("adtl") }).flatMap(\.labels) {
      guard let cue = cues[label.id] else { continue }
      if let text = label.text, cue.name.isEmpty { cues[label.id]?.name = text }
      if let length = label.length, cue.length == nil {
        cues[label.id]?.length = FrameCount(length)
      }
    }
    return cues
  }
}

extension AudioTag {
  /// The names in an INFO list; the first name of a tag is used for writing.
  fileprivate static let infoNames: [(tag: AudioTag, name: String)] = [
    (.title, "INAM"), (.artist, "IART"), (.album, "IPRD"), (.date, "ICRD"), (.trackNumber, "ITRK"),
    (.trackNumber, "IPRT"), (.genre, "IGNR"), (.comment, "ICMT"), (.copyright, "ICOP"),
    (AudioTag("ENCODER"), "ISFT"), (AudioTag("ENGINEER"), "IENG"), (AudioTag("LANGUAGE"), "ILNG"),
    (AudioTag("COMPOSER"), "IMUS"), (AudioTag("ENCODEDBY"), "ITCH"), (AudioTag("KEYWORDS"), "IKEY"),
    (AudioTag("SOURCE"), "ISRC"),
  ]

  /// The name in an INFO list; nil if there is none.
  fileprivate var infoName: String? {
    if let known = Self.infoNames.first(where: { $0.tag == self }) { return known.name }
    let isUnknown = name.utf8.count == 4 && name.hasPrefix("I") && name != "ISRC"
    return isUnknown && name.utf8.allSatisfy { (0x30...0x5A).contains($0) } ? name : nil
  }
}

extension [UInt8] {
  /// The text up to a zero byte, read as UTF-8, or else as Latin-1.
  var text: String {
    let text = prefix { $0 != 0 }
    return String(validating: text, as: UTF8.self)
      ?? String(decoding: text.map { UInt16($0) }, as: UTF16.self)
  }

  /// Returns the little-endian number of up to 8 bytes at an offset; missing bytes are 0.
  func little(at offset: Int, _ count: Int) -> Int {
    dropFirst(offset).prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the big-endian number of up to 7 bytes at an offset.
  func big(at offset: Int, _ count: Int) -> Int {
    dropFirst(offset).prefix(count).reduce(0) { $0 << 8 | Int($1) }
  }
}

private func padding(_ count: Int) -> [UInt8] { count.isMultiple(of: 2) ? [] : [0] }

private func big(_ value: Int, _ count: Int) -> [UInt8] {
  little(value, count).reversed()
}

extension String {
  /// Returns the bytes of the first characters that fit in `count` bytes.
  fileprivate func bytes(atMost count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for character in self {
      let next = character.utf8
      guard bytes.count + next.count <= count else { break }
      bytes += next
    }
    return bytes
  }
}
