/// Breaks the words of a cue into lines.
struct CueLines {
  let charactersPerLine: Int
  let count: Int

  init(_ policy: CuePolicy) {
    charactersPerLine = max(1, policy.charactersPerLine)
    count = max(1, policy.linesPerCue)
  }

  /// Whether the words have room; a word that is too long for a line has one for itself.
  func fit(_ words: some Collection<String>) -> Bool {
    lines(of: words, width: charactersPerLine).count <= count
  }

  /// As few lines as possible, about as long as each other.
  func lines(of words: some Collection<String>) -> [String] {
    let widest = lines(of: words, width: charactersPerLine)
    guard widest.count > 1 else { return widest }
    let narrow = (1..<charactersPerLine).first {
      lines(of: words, width: $0).count <= widest.count
    }
    return narrow.map { lines(of: words, width: $0) } ?? widest
  }

  private func lines(of words: some Collection<String>, width: Int) -> [String] {
    var lines: [String] = []
    var room = 0
    for word in words {
      let gap = lines.last?.separator(before: word) ?? ""
      if let last = lines.indices.last, room >= gap.count + word.count {
        lines[last] += gap + word
        room -= gap.count + word.count
      } else {
        lines.append(word)
        room = width - word.count
      }
    }
    return lines
  }
}
