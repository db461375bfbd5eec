import SpeechEngine

/// A language model in PocketSphinx's binary trie format.
///
/// The counts in the header determine the file's size. PocketSphinx trusts the indexes, so each is
/// checked.
struct LanguageModelFile {
  /// The number of n-grams of each order, from 1.
  let counts: [Int]
  private(set) var vocabulary = Vocabulary()

  private static let title = Array("Trie Language Model".utf8)
  private static let quantizedBits = 16
  private static let unigramSize = 12

  init(_ file: ModelBytes) throws(ModelDamage) {
    var file = file
    try file.bytes.starts(with: Self.title).orDamage("it is not a binary trie language model")
    try file.skip(Self.title.count)
    let order = try file.byte()
    try (2...5).contains(order).orDamage("its order is \(order)")
    var counts: [Int] = []
    for _ in 0..<order { counts.append(try file.word()) }
    try counts.allSatisfy((1...0x0FFF_FFFF).contains).orDamage(
      "the counts in its header are invalid")
    self.counts = counts

    try (file.word() == 1).orDamage("its values are not quantized")
    try file.skip(((order - 2) * 2 + 1) << Self.quantizedBits * 4)
    try checkUnigrams(&file)
    for index in 1..<order { try checkNGrams(&file, index) }
    try checkWords(&file)
    try file.requireEnd()
  }

  /// An additional entry marks the end of the last word's successors.
  private func checkUnigrams(_ file: inout ModelBytes) throws(ModelDamage) {
    for _ in 0...counts[0] {
      try file.skip(Self.unigramSize - 4)
      let next = try file.word()
      try (0...counts[1]).contains(next).orDamage(
        "a word points outside the list of its successors")
    }
  }

  /// The entries are bit-packed: a word, its values, and its successors except in the highest
  /// order.
  private func checkNGrams(_ file: inout ModelBytes, _ index: Int) throws(ModelDamage) {
    let isLast = index == counts.count - 1
    let nextBits = isLast ? 0 : counts[index + 1].bitLength
    let beforeNext = counts[0].bitLength + Self.quantizedBits * (isLast ? 1 : 2)
    let width = beforeNext + nextBits
    let start = file.position
    try file.skip(((1 + counts[index]) * width + 7) / 8 + 8)
    guard !isLast else { return }
    let mask = 1 << nextBits - 1
    // The eight bytes of padding, skipped above, keep every load within the file.
    let bytes = file.bytes
    for entry in 0...counts[index] {
      let bit = entry * width + beforeNext
      let word = bytes.loadUnaligned(fromByteOffset: start + bit >> 3, as: UInt64.self)
      let next = Int(truncatingIfNeeded: word >> UInt64(bit & 7)) & mask
      try (next <= counts[index + 1]).orDamage(
        "an entry points outside the list of its successors")
    }
  }

  private mutating func checkWords(_ file: inout ModelBytes) throws(ModelDamage) {
    let length = try file.word()
    let start = file.position
    try file.skip(length)
    var (wordCount, word) = (0, WordHash())
    vocabulary.reserveCapacity(counts[0])
    for byte in file.bytes[start..<file.position] {
      guard byte == 0 else {
        word.add(byte)
        continue
      }
      wordCount += 1
      vocabulary.insert(word)
      word = WordHash()
    }
    try (wordCount == counts[0] && file.bytes[file.position - 1] == 0).orDamage(
      "it has \(wordCount) words where its header says \(counts[0])")
  }
}

extension Int {
  fileprivate var bitLength: Int { Int.bitWidth - leadingZeroBitCount }
}
