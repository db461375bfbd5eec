/// A dictionary: a word and its phones in each line.
enum DictionaryFile {
  /// Checks that it is text and that every line has a word and a phone at least.
  static func check(_ file: ModelBytes) throws(ModelDamage) {
    let newline = UInt8(ascii: "\n")
    try (!file.bytes.isEmpty).orDamage("it is empty")
    try (file.bytes.last == newline).orDamage("its last line is cut off")
    let isText = file.bytes.allSatisfy { $0 >= 0x20 || $0 == newline || $0 == 0x09 || $0 == 0x0D }
    try isText.orDamage("it is no text")
    let lines = file.bytes.split(separator: newline)
    for (index, line) in lines.enumerated() {
      let hasPhones = line.contains(UInt8(ascii: " ")) || line.contains(0x09)
      try hasPhones.orDamage("line \(index + 1) has no phones")
    }
  }
}
