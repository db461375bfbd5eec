import CPocketSphinx
import Glibc
import SpeechEngine

extension Decoder {
  /// Makes the search for key phrases; the corresponding C function is `ps_set_kws`.
  ///
  /// - Throws: `.wordUnknown`, because PocketSphinx takes a phrase with such a word and never finds
  ///   it.
  func load(_ phrases: [SpeechKeyPhrase], name: String) throws(SpeechEngineError) {
    var lines = ""
    for phrase in phrases {
      let sounds = try soundCount(of: phrase.text)
      let threshold = phrase.threshold ?? KeyPhraseThreshold.usual(soundCount: sounds)
      lines += "\(phrase.text) /\(threshold)/\n"
    }
    // PocketSphinx takes several phrases from a file alone.
    let code = MemoryFile.with(Array(lines.utf8)) { path in
      path.map { ps_set_kws(decoder, name, $0) }
    }
    guard let code else {
      throw .failed(
        reason: "this system has no files in memory, which PocketSphinx needs for key phrases")
    }
    try check(code, "ps_set_kws")
  }

  /// How many phones a phrase has.
  private func soundCount(of phrase: String) throws(SpeechEngineError) -> Int {
    var count = 0
    for word in phrase.split(separator: " ") {
      // Its dictionary has silence and noises as well, which nobody says.
      guard DictionaryWord.text(of: String(word)) == String(word),
        let sounds = ps_lookup_word(decoder, String(word))
      else {
        throw .wordUnknown(String(word), phrase: phrase)
      }
      // What it gives belongs to the caller.
      defer { free(sounds) }
      count += String(cString: sounds).split(separator: " ").count
    }
    return count
  }
}

/// How likely a phrase must be where nobody says.
enum KeyPhraseThreshold {
  /// The longer a phrase, the smaller, because every sound adds to the doubt: measured on speech
  /// with and without 28 phrases, 17 of 24 were found and nothing else.
  static func usual(soundCount: Int) -> Double {
    (0..<max(5, min(soundCount, 30))).reduce(1) { threshold, _ in threshold / 10 }
  }
}
