/// A dictionary: a word and its phones in each line.
enum DictionaryFile {
  /// Checks that it is text and that every line has a word and a phone at least.
  ///
  /// It looks at each of some three million bytes once: this is a part of every start.
  static func check(_ file: ModelBytes) throws(SphinxModelDamage) {
    let (newline, space, tab) = (UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(0x09))
    try (!file.bytes.isEmpty).orDamage("it is empty")
    try (file.bytes.last == newline).orDamage("its last line is cut off")
    var (lineCount, isEmpty, hasPhones) = (0, true, false)
    for byte in file.bytes {
      guard byte == newline else {
        try (byte >= space || byte == tab || byte == 0x0D).orDamage("it is no text")
        isEmpty = false
        hasPhones = hasPhones || byte == space || byte == tab
        continue
      }
      lineCount += 1
      try (isEmpty || hasPhones).orDamage("line \(lineCount) has no phones")
      (isEmpty, hasPhones) = (true, false)
    }
  }
  /// Checks the dictionary of silence and noise, whose words PocketSphinx takes for one phone of
  /// that kind without looking.
  static func checkFillers(
    _ file: ModelBytes, of definition: ModelDefinition
  ) throws(SphinxModelDamage) {
    try check(file)
    for line in file.bytes.split(separator: UInt8(ascii: "\n")) {
      let fields = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard fields.count == 2, let word = fields.first, let phone = fields.last.map(String.init)
      else { throw SphinxModelDamage("\(fields.first ?? "a word") does not have one phone") }
      let isSilence = silences.contains(where: word.hasPrefix)
      let fits = isSilence ? phone == ModelDefinition.silence : definition.fillers.contains(phone)
      try fits.orDamage("\(word) cannot have the phone \(phone)")
    }
  }

  private static let silences = ["<s>", "</s>", "<sil>"]
}
