extension DictionaryFile {
  /// The lines of a dictionary whose words a language model knows, other ways to say them included.
  ///
  /// Taking dictation PocketSphinx finds no others, but to load them takes a fifth of its start.
  static func excerpt(of file: ModelBytes, knownTo vocabulary: Vocabulary) -> [UInt8] {
    let bytes = file.bytes
    var excerpt: [UInt8] = []
    excerpt.reserveCapacity(bytes.count)
    var begin = 0
    while let end = bytes[begin...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = bytes[begin...end]
      if vocabulary.contains(word(of: line)) { excerpt += line }
      begin = end + 1
    }
    return excerpt
  }

  /// The word of a line, by which the language model knows every way to say it: of `close(2)` what
  /// stands before the last bracket.
  private static func word(of line: Slice<UnsafeRawBufferPointer>) -> WordHash {
    var hash = WordHash()
    var beforeBracket: WordHash?
    var last: UInt8?
    for byte in line {
      guard byte > UInt8(ascii: " ") else {
        if last == nil { continue }
        break
      }
      if byte == UInt8(ascii: "("), last != nil { beforeBracket = hash }
      hash.add(byte)
      last = byte
    }
    return last == UInt8(ascii: ")") ? beforeBracket ?? hash : hash
  }
}
