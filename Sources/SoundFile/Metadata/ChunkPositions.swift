import AudioCore

/// The changes of chunks whose content depends on the audio.
extension AudioMetadata.Chunk {
  /// The chunk with the positions of another part or rate; nil if nothing of it is left.
  func moved(_ timeline: AudioMetadata.Timeline) -> Self? {
    var result = self
    switch name {
    case "cue ":
      var points: [UInt8] = []
      for start in stride(from: 4, to: content.count - 23, by: 24) {
        guard let place = timeline.position(content.little(at: start + 20, 4)) else { continue }
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
        guard let first = timeline.position(content.little(at: start + 8, 4)),
          let last = timeline.position(content.little(at: start + 12, 4))
        else { continue }
        loops += content[start..<start + 8] + little(first, 4) + little(last, 4)
        loops += content[start + 16..<start + 24]
      }
      result.content.removeSubrange(36..<end)
      result.content.insert(contentsOf: loops, at: 36)
      result.replace(at: 28, with: little(loops.count / 24, 4))
      return result
    case "bext" where content.count >= Self.timeEnd:
      // The time of the first frame since midnight, in frames.
      let time = content.little(at: Self.timeStart, 8).addingReportingOverflow(timeline.start)
      guard !time.overflow, time.partialValue >= 0 else { return self }
      result.replace(at: Self.timeStart, with: little(timeline.scaled(time.partialValue), 8))
      return result
    case "LIST" where isList("adtl") && timeline.ratio != 1:
      result.content = Array(content.prefix(4))
      for var part in parts {
        if part.name == "ltxt", part.content.count >= 8 {
          part.replace(at: 4, with: little(timeline.scaled(part.content.little(at: 4, 4)), 4))
        }
        result.content += part.bytes
      }
      return result
    default: return self
    }
  }

  /// The place of the time in `bext`.
  private static let (timeStart, timeEnd) = (338, 346)

  /// A copy of `bext` without its time; nil if it has none.
  package var withoutTime: Self? {
    guard name == "bext", content.count >= Self.timeEnd,
      content[Self.timeStart..<Self.timeEnd].contains(where: { $0 != 0 })
    else { return nil }
    var result = self
    result.replace(at: Self.timeStart, with: little(0, 8))
    return result
  }

  /// A copy of `bext` without its five measured levels; nil if it has none.
  package var withoutLevels: Self? {
    let (version, start, end) = (content.little(at: 346, 2), 412, 422)
    // The mark of a level that was not measured.
    let none = [UInt8]([0xFF, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F])
    guard name == "bext", version >= 2, content.count >= end, Array(content[start..<end]) != none
    else { return nil }
    var result = self
    result.replace(at: start, with: none)
    return result
  }

  private mutating func replace(at offset: Int, with bytes: [UInt8]) {
    content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }
}
