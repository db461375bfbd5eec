/// Rules for the text of results: how numbers and words are written, and words to replace or mask.
///
/// `SpeechRecognitionResult.applying(_:)` returns the text as people write it, with the times of the
/// words: a word made of several words spans their times and has the lowest of their confidences.
///
/// The rules are applied in the order of the properties, then the replacements, then the masks. The
/// rules for numbers, spelling, and punctuation are English and leave other languages alone.
public struct TextRules: Hashable, Sendable {
  /// How numbers are written.
  public enum Numbers: String, Hashable, Sendable, CaseIterable {
    /// In digits from ten on, and for times, years, decimals, money, percentages, and telephone
    /// numbers; smaller numbers stay as they were recognized.
    ///
    /// Numbers whose meaning is not certain stay, too, as in "one two three", "fifteen twenty", "ten
    /// to fifteen", and "a hundred". Digits that the engine wrote stay, and the numbers beside them.
    case usual
    /// In digits even below ten, except for "one" alone, which is often not a number.
    case digits
    /// In words.
    case words
    /// As they were recognized.
    case asRecognized = "as-recognized"
  }

  /// The spelling of English words such as color and colour.
  public enum Spelling: String, Hashable, Sendable, CaseIterable {
    /// American spelling.
    case american = "us"
    /// British spelling, with -ise.
    case british = "uk"
  }

  /// The language of the text, as a BCP 47 tag; rules for English need `en` or a tag such as
  /// `en-GB`.
  public var language: String
  /// Whether spoken marks are written as marks: "comma", "period", "full stop", "question mark",
  /// "exclamation mark", "colon", "semicolon", "new line", and "new paragraph".
  ///
  /// A mark is joined to the word before it. A line break is a word of its own. After "the", "a", and
  /// similar words, the name of a mark stays.
  public var writesSpokenPunctuation: Bool
  /// How numbers are written.
  public var numbers: Numbers
  /// The spelling of words; nil to keep it.
  ///
  /// A name, that is a word with a capital within a sentence, keeps its spelling.
  public var spelling: Spelling?

  fileprivate var replacements = PhraseTable()
  fileprivate var masks: Set<String> = []

  /// Creates rules; without arguments, they only change numbers.
  public init(
    language: String = "en", writesSpokenPunctuation: Bool = false, numbers: Numbers = .usual,
    spelling: Spelling? = nil
  ) {
    self.language = language
    self.writesSpokenPunctuation = writesSpokenPunctuation
    self.numbers = numbers
    self.spelling = spelling
  }

  /// The rules that change nothing.
  public static let none = TextRules(numbers: .asRecognized)

  fileprivate var isEnglish: Bool {
    language.lowercased().prefix(while: \.isLetter) == "en"
  }

  /// Returns a text with these rules applied.
  public func applied(to text: String) -> String {
    SpeechRecognitionResult(text, isFinal: true).bestTranscription.applying(self).formattedString
  }

  /// Replaces a phrase by a text; a later rule for the same phrase wins.
  ///
  /// Case and punctuation around the phrase are ignored, and the punctuation stays. Of several
  /// phrases that begin at a word, the longest is replaced. An empty `text` removes the phrase. An
  /// empty phrase has no effect.
  public mutating func replace(_ phrase: String, with text: String) {
    replacements.add(phrase, text)
  }

  /// Masks a word: its first letter stays, and all others become asterisks.
  public mutating func mask(_ word: String) {
    masks.insert(word.wordCore)
  }

  /// Adds the replacements in a text, such as a file.
  ///
  /// Each line is a rule, `from → to` or `from => to`. Empty lines, and lines that begin with `#`,
  /// are ignored.
  ///
  /// - Throws: `TextRulesError`, with the position of the first line that is not a rule.
  public mutating func addReplacements(parsing text: String) throws(TextRulesError) {
    for (number, line) in text.ruleLines {
      let arrows = ["\u{2192}", "=>"].flatMap { line.ranges(of: $0) }
      guard let arrow = arrows.min(by: { $0.lowerBound < $1.lowerBound }) else {
        throw TextRulesError(line, line.endIndex, of: number, "the rule has no → or =>")
      }
      if let other = arrows.first(where: { $0 != arrow }) {
        throw TextRulesError(line, other.lowerBound, of: number, "the rule has a second arrow")
      }
      let phrase = String(line[..<arrow.lowerBound])
      guard phrase.contains(where: { !$0.isWhitespace }) else {
        throw TextRulesError(
          line, arrow.lowerBound, of: number, "there is no text before the arrow")
      }
      replace(phrase, with: String(line[arrow.upperBound...]))
    }
  }

  /// Adds the words to mask in a text, such as a file: a word on each line.
  ///
  /// Empty lines, and lines that begin with `#`, are ignored.
  ///
  /// - Throws: `TextRulesError`, with the position of the first line of several words.
  public mutating func addMasks(parsing text: String) throws(TextRulesError) {
    for (number, line) in text.ruleLines {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.count > 1 {
        throw TextRulesError(line, words[1].startIndex, of: number, "the line has a second word")
      }
      words.first.map { mask(String($0)) }
    }
  }
}

/// A line of a text with rules that is not a rule.
public struct TextRulesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the line, from 1.
  public var line: Int
  /// The number of the character in the line, from 1.
  public var column: Int
  /// Why the line is not a rule.
  public var reason: String

  fileprivate init(_ text: Substring, _ index: String.Index, of line: Int, _ reason: String) {
    self.line = line
    column = text.distance(from: text.startIndex, to: index) + 1
    self.reason = reason
  }

  /// The position and the reason, such as `line 3, column 5: the rule has no → or =>`.
  public var description: String { "line \(line), column \(column): \(reason)" }
}

extension String {
  /// The lines with their numbers from 1, except empty lines and comments.
  fileprivate var ruleLines: [(number: Int, text: Substring)] {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
      .map { ($0.offset + 1, $0.element) }
      .filter { line in
        let first = line.1.first { !$0.isWhitespace }
        return first != nil && first != "#"
      }
  }
}

extension SpeechRecognitionResult {
  /// Returns the result with these rules applied to its transcriptions.
  ///
  /// The words of a partial result that a later word may still change are not stable: a number
  /// becomes stable with the fourth word after it, and a phrase of several words that is replaced
  /// in the final result.
  public func applying(_ rules: TextRules) -> SpeechRecognitionResult {
    guard rules != .none else { return self }
    var result = self
    let best = RuledText(bestTranscription, stableCount: stableSegmentCount, isFinal: isFinal)
      .applying(rules)
    var seen = [best.transcription.segments.map(\.substring)]
    result.transcriptions = [best.transcription]
    for transcription in transcriptions.dropFirst() {
      let other = transcription.applying(rules)
      let words = other.segments.map(\.substring)
      guard !seen.contains(words) else { continue }
      seen.append(words)
      result.transcriptions.append(other)
    }
    result.stableSegmentCount = best.stableCount
    return result
  }
}

extension Transcription {
  /// Returns the final transcription with these rules applied.
  public func applying(_ rules: TextRules) -> Transcription {
    guard rules != .none else { return self }
    return RuledText(self, stableCount: segments.count, isFinal: true).applying(rules).transcription
  }
}

extension RuledText {
  fileprivate func applying(_ rules: TextRules) -> RuledText {
    var text = self
    if rules.isEnglish {
      if rules.writesSpokenPunctuation { text.writeSpokenPunctuation() }
      if rules.numbers != .asRecognized { text.write(rules.numbers) }
      if let spelling = rules.spelling { text.spell(spelling) }
    }
    text.replace(rules.replacements)
    text.mask(rules.masks)
    text.changeAlternatives(rules.applied)
    return text
  }
}
