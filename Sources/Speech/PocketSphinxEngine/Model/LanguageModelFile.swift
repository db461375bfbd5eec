import SpeechEngine

/// The words of a language model in PocketSphinx's binary trie format, whose size is checked.
struct LanguageModelFile {
  private(set) var vocabulary = Vocabulary()

  private static let quantizedBits = 16

  init(_ file: ModelBytes) throws(ModelDamage) {
    var file = file
    try file.skip(magic: "Trie Language Model", of: "a binary trie language model")
    let order = try file.byte()
    try (2...5).contains(order).orDamage("its order is \(order)")
    let counts = try file.words(order)
    try counts.allSatisfy { $0 > 0 }.orDamage("the counts in its header are invalid")
    try (file.word() == 1).orDamage("its values are not quantized")
    try file.skip(((order - 2) * 2 + 1) << Self.quantizedBits * 4)
    // An additional entry marks the end of the last word's successors.
    try file.skip(counts[0] + 1, 12)
    for index in 1..<order {
      // A word, its values, and its successors except in the highest order.
      let isLast = index == order - 1
      let width =
        counts[0].bitLength + Self.quantizedBits * (isLast ? 1 : 2)
        + (isLast ? 0 : counts[index + 1].bitLength)
      try file.skip(((1 + counts[index]) * width + 7) / 8 + 8)
    }
    let length = try file.word()
    let start = file.position
    try file.skip(length)
    try file.requireEnd()

    vocabulary.reserveCapacity(counts[0])
    var word = WordHash()
    for byte in file.bytes[start...] {
      if byte != 0 {
        word.add(byte)
      } else {
        vocabulary.insert(word)
        word = WordHash()
      }
    }
  }
}

extension Int {
  fileprivate var bitLength: Int { Int.bitWidth - leadingZeroBitCount }
}
