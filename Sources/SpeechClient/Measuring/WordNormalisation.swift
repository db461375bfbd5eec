/// How a text is taken apart into the words that are compared.
public enum WordNormalisation: Hashable, Sendable, CaseIterable {
  /// As it is heard: without upper case and punctuation.
  ///
  /// Letters become small ones. A word is a run of letters and digits, and of apostrophes between
  /// two of those (’ counts as '); everything else, hyphens among it, is between words. So
  /// "Don't, twenty-one!" are the words don't, twenty, one. Numbers stay as they are written.
  case spoken
  /// As it is written: what stands between white space.
  case written

  /// The words of a text, in order.
  public func words(of text: String) -> [String] {
    switch self {
    case .written: text.split(whereSeparator: \.isWhitespace).map(String.init)
    case .spoken: spokenWords(of: text)
    }
  }

  private func spokenWords(of text: String) -> [String] {
    text.lowercased().map { $0 == "’" ? "'" : $0 }
      .split { !$0.isPartOfWord && $0 != "'" }
      .flatMap(splitAtOuterApostrophes)
  }

  /// An apostrophe that begins or ends a run is a quotation mark, and two of them in a
  /// row are, too.
  private func splitAtOuterApostrophes(_ run: ArraySlice<Character>) -> [String] {
    let parts = run.split(separator: "'", omittingEmptySubsequences: false)
    let words = parts.split { $0.isEmpty }
    return words.map { $0.map { String($0) }.joined(separator: "'") }
  }
}

extension Character {
  fileprivate var isPartOfWord: Bool { isLetter || isNumber }
}
