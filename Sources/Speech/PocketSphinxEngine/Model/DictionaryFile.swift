import SpeechEngine

/// A pronunciation dictionary: a word and its phones on each line.
enum DictionaryFile {
  /// Checks that the file is not truncated to nothing or within a line.
  static func check(_ file: ModelBytes) throws(ModelDamage) {
    try (!file.bytes.isEmpty).orDamage("it is empty")
    try (file.bytes.last == UInt8(ascii: "\n")).orDamage("its last line is cut off")
  }

  /// The lines whose words are in a language model's vocabulary, with every pronunciation.
  ///
  /// Dictation finds no other words, and loading them takes a fifth of the startup time.
  static func excerpt(of file: ModelBytes, within vocabulary: Vocabulary) -> [UInt8] {
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

  /// The word of a line as the language model spells it: `close` for the pronunciation `close(2)`.
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

  /// The spelling of a dictionary entry without its pronunciation number; nil for silence and noise
  /// (`<sil>`, `[NOISE]`, `++breath++`) and for the empty word around a grammar's repetitions
  /// (`(NULL)`).
  static func spelling(of entry: String) -> String? {
    // A key phrase ends with a space, where its threshold was.
    let entry = entry.hasSuffix(" ") ? String(entry.dropLast()) : entry
    guard let first = entry.first, !"<[+".contains(first), entry != "(NULL)" else { return nil }
    guard entry.hasSuffix(")"), let open = entry.lastIndex(of: "("), open != entry.startIndex
    else { return entry }
    return String(entry[..<open])
  }
}

/// The words of a language model, each as a hash of its bytes.
///
/// Two words may have the same hash, but with 64 bits that is practically impossible.
struct Vocabulary: Equatable, Sendable {
  private var hashes: Set<UInt64> = []

  mutating func reserveCapacity(_ count: Int) { hashes.reserveCapacity(count) }

  mutating func insert(_ word: WordHash) { hashes.insert(word.value) }

  func contains(_ word: WordHash) -> Bool { hashes.contains(word.value) }
}

/// A hash of a word, computed byte by byte (FNV-1a).
struct WordHash: Equatable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  init(of word: some Sequence<UInt8> = EmptyCollection()) {
    for byte in word { add(byte) }
  }

  mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }
}
