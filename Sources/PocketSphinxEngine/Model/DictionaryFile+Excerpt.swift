extension DictionaryFile {
  /// The lines of a dictionary whose words a language model knows, other ways to say them included.
  ///
  /// Taking dictation PocketSphinx finds no others, but to load them takes a third of its start.
  static func excerpt(of file: ModelBytes, knownTo vocabulary: Vocabulary) -> [UInt8] {
    var excerpt: [UInt8] = []
    excerpt.reserveCapacity(file.bytes.count / 4)
    var (line, begin) = (Line(), 0)
    for (index, byte) in file.bytes.enumerated() {
      guard byte == UInt8(ascii: "\n") else {
        line.add(byte)
        continue
      }
      if vocabulary.contains(line.word) { excerpt += file.bytes[begin...index] }
      (line, begin) = (Line(), index + 1)
    }
    return excerpt
  }

  /// A line as far as it has been read.
  private struct Line {
    private var hash = WordHash()
    /// The hash of what stands before the last bracket: of `close` in `close(2)`.
    private var beforeBracket: WordHash?
    private var last: UInt8?
    private var isInPhones = false

    /// The word, by which the language model knows every way to say it.
    var word: WordHash { last == UInt8(ascii: ")") ? beforeBracket ?? hash : hash }

    mutating func add(_ byte: UInt8) {
      guard !isInPhones else { return }
      switch byte {
      case UInt8(ascii: " "), 0x09, 0x0D: isInPhones = last != nil
      default:
        if byte == UInt8(ascii: "("), last != nil { beforeBracket = hash }
        hash.add(byte)
        last = byte
      }
    }
  }
}
