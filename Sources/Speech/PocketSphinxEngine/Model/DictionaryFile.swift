import SpeechEngine

/// A pronunciation dictionary: a word and its phones on each line.
enum DictionaryFile {
  /// Checks that the file is text and that every line has a word and at least one phone.
  ///
  /// It reads each of about three million bytes once, because every start waits for it.
  static func check(_ file: ModelBytes) throws(ModelDamage) {
    let (newline, space, tab) = (UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(0x09))
    try (!file.bytes.isEmpty).orDamage("it is empty")
    try (file.bytes.last == newline).orDamage("its last line is cut off")
    var (lineCount, isEmpty, hasPhones) = (0, true, false)
    for byte in file.bytes {
      guard byte == newline else {
        try (byte >= space || byte == tab || byte == 0x0D).orDamage("it is not text")
        isEmpty = false
        hasPhones = hasPhones || byte == space || byte == tab
        continue
      }
      lineCount += 1
      try (isEmpty || hasPhones).orDamage("line \(lineCount) has no phones")
      (isEmpty, hasPhones) = (true, false)
    }
  }

  /// Checks the filler dictionary.
  ///
  /// PocketSphinx assumes that each of its words has one phone of silence or noise.
  static func checkFillers(
    _ file: ModelBytes, of definition: ModelDefinition
  ) throws(ModelDamage) {
    try check(file)
    for line in file.bytes.split(separator: UInt8(ascii: "\n")) {
      let fields = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard fields.count == 2, let word = fields.first, let phone = fields.last.map(String.init)
      else { throw ModelDamage("\(fields.first ?? "a word") does not have one phone") }
      let isSilence = silences.contains(where: word.hasPrefix)
      let fits = isSilence ? phone == ModelDefinition.silence : definition.fillers.contains(phone)
      try fits.orDamage("\(word) cannot have the phone \(phone)")
    }
  }

  private static let silences = ["<s>", "</s>", "<sil>"]

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
