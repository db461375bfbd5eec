extension Collection<String> {
  /// The words or lines as one text, with spaces between them if their script has spaces.
  ///
  /// There is no space beside a letter or a mark of Chinese or Japanese, except next to a Korean
  /// word, and none between two letters of Thai, Lao, Khmer, or Burmese.
  package var joinedAsWritten: String {
    reduce(into: "") { text, word in
      text += text.separator(before: word) + word
    }
  }
}

extension String {
  /// What separates the text from a word after it: a space or nothing.
  package func separator(before word: String) -> String {
    guard let last = last?.spacing, let first = word.first?.spacing else { return "" }
    switch (last, first) {
    case (.spaced, .spaced), (.korean, _), (_, .korean): return " "
    case (.east, _), (_, .east), (.southEast, .southEast): return ""
    case (.southEast, .spaced), (.spaced, .southEast): return " "
    }
  }
}

extension Character {
  /// How a script separates words.
  fileprivate enum Spacing {
    /// With a space.
    case spaced
    /// With a space, also beside a Chinese letter.
    case korean
    /// Not at all: Chinese and Japanese.
    case east
    /// With no space between their words: Thai, Lao, Khmer, and Burmese.
    case southEast
  }

  /// Whether words of its script follow one another without spaces, so that each letter counts as a
  /// word.
  package var hasNoSpaces: Bool { spacing == .east || spacing == .southEast }

  fileprivate var spacing: Spacing {
    switch unicodeScalars.first?.value ?? 0 {
    case 0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF: .korean
    // Radicals, marks, kana, and letters; full-width marks; the planes of rare letters.
    case 0x2E80...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFE30...0xFE4F,
      0xFF00...0xFF9F, 0xFFE0...0xFFEF, 0x1B000...0x1B16F, 0x20000...0x3FFFF:
      .east
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x19E0...0x19FF, 0xA9E0...0xA9FF,
      0xAA60...0xAA7F:
      .southEast
    default: .spaced
    }
  }
}
