import AudioCore

/// Updates chunks that describe the audio, such as positions in the audio or its level.
extension AudioMetadata.Chunk {
  /// Returns the chunk with its positions moved to a part or to another rate; nil if nothing
  /// remains.
  ///
  /// `cues` contains the cues in the chunks, by their numbers.
  func moved(_ timeline: AudioMetadata.Timeline, _ cues: [Int: AudioCue]) -> Self? {
    var result = self
    switch name {
    case "cue ":
      var points: [UInt8] = []
      for start in stride(from: 4, to: content.count - 23, by: 24) {
        guard var cue = cues[content.little(at: start, 4)] else { continue }
        cue.frame = FrameCount(content.little(at: start + 20, 4))
        guard let place = timeline.moved(cue)?.frame.rawValue else { continue }
        let hasPosition = content.little(at: start + 4, 4) != 0
        points += content[start..<start + 4] + little(hasPosition ? place : 0, 4)
        points += content[start + 8..<start + 20] + little(place, 4)
      }
      result.content = little(points.count / 24, 4) + points
      return points.isEmpty ? nil : result
    case "smpl" where content.count >= 36:
      result.replace(
        at: 8, with: little(Int(clamping: Double(content.little(at: 8, 4)) / timeline.ratio), 4))
      var loops: [UInt8] = []
      let count = content.little(at: 28, 4)
      let end = 36 + min(count, (content.count - 36) / 24) * 24
      for start in stride(from: 36, to: end, by: 24) {
        // The last frame belongs to the loop, so the loop ends one frame later.
        let (first, last) = (content.little(at: start + 8, 4), content.little(at: start + 12, 4))
        guard let loop = timeline.region(from: first, to: last + 1) else { continue }
        let end = loop.first + max(1, loop.length ?? 1) - 1
        loops += content[start..<start + 8] + little(loop.first, 4) + little(end, 4)
        loops += content[start + 16..<start + 24]
      }
      result.content.removeSubrange(36..<end)
      result.content.insert(contentsOf: loops, at: 36)
      result.replace(at: 28, with: little(loops.count / 24, 4))
      return result
    case "bext" where content.count >= Self.timeEnd:
      // The time of day of the first frame, in frames since midnight.
      let time = content.little(at: Self.timeStart, 8).addingReportingOverflow(timeline.start)
      guard !time.overflow, time.partialValue >= 0 else { return self }
      result.replace(at: Self.timeStart, with: little(timeline.scaled(time.partialValue), 8))
      return result
    case "LIST" where hasCues:
      result.content = Array(content.prefix(4))
      for var part in parts {
        if part.content.count >= 4, var cue = cues[part.content.little(at: 0, 4)] {
          let length = part.content.little(at: 4, 4)
          let hasLength = part.name == "ltxt" && part.content.count >= 8 && length > 0
          if hasLength { cue.length = FrameCount(length) }
          guard let moved = timeline.moved(cue) else { continue }
          if hasLength { part.replace(at: 4, with: little(moved.length?.rawValue ?? 0, 4)) }
        }
        result.content += part.bytes
      }
      return result
    default: return self
    }
  }

  /// The byte offsets of the time in `bext`.
  private static let (timeStart, timeEnd) = (338, 346)

  /// Whether the chunk contains cues, or their names, lengths, and notes.
  package var hasCues: Bool { name == "cue " || isList("adtl") }

  /// Whether the chunk contains texts of cues other than their names.
  package var hasNotes: Bool {
    isList("adtl")
      && parts.contains { part in
        part.name != "labl" && (part.name != "ltxt" || part.content.count > 20)
      }
  }

  /// A copy of `iXML` without times and rates; nil if the chunk contains neither.
  private var withoutXMLTimes: Self? {
    let names = ["TIMESTAMP_", "FILE_SAMPLE_RATE", "BWF_TIME_REFERENCE_"]
    var (kept, rest): ([UInt8], ArraySlice<UInt8>) = ([], content[...])
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
      let next = rest[open...].dropFirst()
      let name = next.prefix(64).prefix { $0 != UInt8(ascii: ">") }
      // An element with such a name is removed only if it is short and has no children.
      let isTime = names.contains { name.starts(with: $0.utf8) }
      let closing = isTime ? Array("</".utf8) + name + Array(">".utf8) : []
      let end = isTime ? next.prefix(256).firstIndex(of: UInt8(ascii: "<")) : nil
      let isWhole = end.map { rest[$0...].starts(with: closing) } == true
      kept += rest[..<(isWhole ? open : next.startIndex)]
      rest = isWhole ? rest[((end ?? open) + closing.count)...] : next
    }
    kept += rest
    return kept.count == content.count ? nil : Self(name: name, content: kept)
  }

  /// A copy of `bext` or `iXML` without times; nil if the chunk contains no times.
  package var withoutTime: Self? {
    if name == "iXML" { return withoutXMLTimes }
    guard name == "bext", content.count >= Self.timeEnd,
      content[Self.timeStart..<Self.timeEnd].contains(where: { $0 != 0 })
    else { return nil }
    var result = self
    result.replace(at: Self.timeStart, with: little(0, 8))
    return result
  }

  /// A copy of `bext` without the five measured levels; nil if the chunk contains no levels.
  package var withoutLevels: Self? {
    let (version, start, end) = (content.little(at: 346, 2), 412, 422)
    // An unmeasured level is stored as 0x7FFF.
    let none = [UInt8]([0xFF, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F])
    guard name == "bext", version >= 2, content.count >= end, Array(content[start..<end]) != none
    else { return nil }
    var result = self
    result.replace(at: start, with: none)
    return result
  }

  fileprivate mutating func replace(at offset: Int, with bytes: [UInt8]) {
    content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }
}
