/// How a text is taken apart into the words that are compared.
public enum WordNormalisation: Hashable, Sendable, CaseIterable {
  /// As spoken: texts that are read aloud alike compare equal.
  ///
  /// - Letters become lowercase. A word is a run of letters and digits, and of apostrophes between
  ///   two of those (’ counts as '); all else, hyphens among it, is between words, but for the dots of
  ///   "U.S." and the signs below. In scripts without spaces each letter is a word.
  /// - Numbers are written in digits: "two hundred and fifty" and "250" are the word 250, "the
  ///   twenty-first" is 21st, "two point five million" is 2500000, "the nineties" are the 90s. Numbers
  ///   that follow one another are one: "nineteen eighty-four" is 1984, "ten thirty" is 1030 as 10:30
  ///   is, and "nine one one" is 911.
  /// - Money and signs are words: "$5" is 5 dollar, "£2.50" 2 pound 50 cent (as are pence), "5 %" 5 percent,
  ///   "&" and, "-3" minus 3.
  /// - Contractions are taken apart: "isn't" is is not, "we'd" we would, "it's" it is; the 's of a noun
  ///   stays. "Gonna", "wanna", and "gotta" are going to, want to, and got to.
  /// - British spellings become American, and a few abbreviations whole words: "colour" is color,
  ///   "organised" organized, "Mr." mister.
  /// - Fillers such as uh, um, er, and hm are removed.
  ///
  /// Numbers, contractions, spellings, and fillers are those of English. A rule is the same for both
  /// texts, so that in other languages it hardly ever matters.
  case spoken
  /// As written: words are what white space separates.
  case written

  /// The words of a text, in order.
  public func words(of text: String) -> [String] {
    switch self {
    case .written: text.split(whereSeparator: \.isWhitespace).map(String.init)
    case .spoken: NumberReader.digits(in: SpokenTokens.of(text).flatMap(SpellingVariants.words))
    }
  }
}
