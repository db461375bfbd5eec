/// The words that a language model knows, each by a hash of its bytes.
///
/// A word that is not there may have the hash of one that is: of all words that anybody has in
/// mind, once in some billion models.
struct Vocabulary: Equatable, Sendable {
  private var hashes: Set<UInt64> = []

  mutating func reserveCapacity(_ count: Int) { hashes.reserveCapacity(count) }

  mutating func insert(_ word: WordHash) { hashes.insert(word.value) }

  func contains(_ word: WordHash) -> Bool { hashes.contains(word.value) }
}

/// A hash of a word, byte by byte (FNV-1a).
struct WordHash: Equatable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  init() {}

  /// The hash of a whole word.
  init(of word: some Sequence<UInt8>) {
    for byte in word { add(byte) }
  }

  mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }
}
