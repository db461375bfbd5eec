/// A transcription while rules are applied to it, with its number of stable words.
struct RuledText {
  private(set) var transcription: Transcription
  private(set) var stableCount: Int
  private let isFinal: Bool

  init(_ transcription: Transcription, stableCount: Int, isFinal: Bool) {
    (self.transcription, self.stableCount, self.isFinal) = (transcription, stableCount, isFinal)
  }

  private var words: [String] { transcription.segments.map(\.substring) }

  /// Whether a sentence begins with the word at this index.
  private func beginsSentence(_ index: Int) -> Bool {
    guard index > 0 else { return true }
    return words[index - 1].outerMarks.after.contains { ".?!\n".contains($0) }
      || words[index - 1].allSatisfy(\.isNewline)
  }

  /// Replaces words: each by one other word, or all together.
  ///
  /// Words that replace more or fewer words share their time, by the number of their letters, and
  /// have the lowest of their confidences.
  private mutating func replace(_ range: Range<Int>, with texts: [String]) {
    let old = transcription.segments[range]
    guard let first = old.first else { return }
    var new = Array(old)
    if texts.count == old.count {
      for (index, text) in texts.enumerated() { new[index].substring = text }
    } else {
      let end = old.reduce(first.timestamp) { max($0, $1.timestamp + $1.duration) }
      let letterCount = max(1, texts.reduce(0) { $0 + $1.count })
      let letter = (end - first.timestamp) / letterCount
      var next = first.timestamp
      new = texts.enumerated().map { index, text in
        let begin = next
        next = index == texts.count - 1 ? end : begin + letter * text.count
        return TranscriptionSegment(
          substring: text, timestamp: begin, duration: next - begin,
          confidence: old.compactMap(\.confidence).min())
      }
    }
    transcription.segments.replaceSubrange(range, with: new)
    if range.upperBound <= stableCount {
      stableCount += new.count - range.count
    } else {
      stableCount = min(stableCount, range.lowerBound)
    }
  }

  /// Replaces words by a text, which gets the punctuation around the words and, at the beginning of
  /// a sentence, their capital.
  private mutating func replace(_ range: Range<Int>, with text: String) {
    var texts = text.split(whereSeparator: \.isWhitespace).map(String.init)
    if let first = texts.first, let last = texts.indices.last {
      let before = words[range.lowerBound].outerMarks.before
      let after = words[range.upperBound - 1].outerMarks.after
      let isCapital = words[range.lowerBound].first { $0.isLetter }?.isUppercase == true
      if isCapital, beginsSentence(range.lowerBound), text == text.lowercased() {
        texts[0] = first.capitalizedFirst
      }
      if !texts[0].hasPrefix(before) { texts[0] = before + texts[0] }
      if after.first == ".", texts[last].hasSuffix(".") { texts[last].removeLast() }
      if !texts[last].hasSuffix(after) { texts[last] += after }
    }
    replace(range, with: texts)
  }

  /// Keeps words from being stable if a later word may still complete a phrase with them.
  private mutating func unsettle(_ phrases: PhraseTable) {
    guard !isFinal else { return }
    stableCount = phrases.settledCount(of: words.prefix(stableCount).map(\.wordCore))
  }

  // MARK: Rules

  /// Writes "comma" and other marks as marks, and capitals after the ends of sentences.
  mutating func writeSpokenPunctuation() {
    unsettle(Self.marks)
    for (range, mark) in Self.marks.matches(in: words.map(\.wordCore)).reversed() {
      let isBreak = mark.hasPrefix("\n")
      var next = range.lowerBound
      if isBreak || next == 0 || words[next - 1].allSatisfy(\.isNewline) {
        replace(range, with: [mark])
        next += 1
      } else {
        // The stable word before a mark stays stable, because marks are not words.
        let settled = min(stableCount, next)
        let after = words[next - 1].outerMarks.after
        let word = words[next - 1].dropLast(after.count) + mark
        replace((next - 1)..<range.upperBound, with: [String(word)])
        stableCount = max(stableCount, settled)
      }
      if isBreak || ".?!".contains(mark), next < words.count {
        transcription.segments[next].substring = words[next].capitalizedFirst
      }
    }
  }

  private static let marks: PhraseTable = {
    var table = PhraseTable()
    for (phrase, mark) in [
      "comma": ",", "period": ".", "full stop": ".", "question mark": "?", "exclamation mark": "!",
      "exclamation point": "!", "colon": ":", "semicolon": ";", "new line": "\n",
      "new paragraph": "\n\n",
    ] {
      table.add(phrase, mark)
    }
    return table
  }()

  /// Writes numbers in a style.
  mutating func write(_ style: TextRules.Numbers) {
    let parts = words.enumerated().flatMap { index, word in
      let marks = word.outerMarks
      let inner = word.wordCore.split(omittingEmptySubsequences: false) {
        "-\u{2010}\u{2011}".contains($0)
      }
      return inner.enumerated().map { part, text in
        WrittenNumbers.Word(
          text: String(text), index: index,
          endsRun: part == inner.count - 1 && !marks.after.isEmpty)
      }
    }
    if !isFinal, let first = parts.first(where: { NumberReader.isPart($0.text) }) {
      stableCount = min(stableCount, first.index)
      // These words may be a part of the number.
      while stableCount > 0, ["a", "and"].contains(words[stableCount - 1].wordCore) {
        stableCount -= 1
      }
    }
    let isPunctuated = words.contains { $0.last.map { ".?!".contains($0) } == true }
    for (range, text) in WrittenNumbers.changes(in: parts, style: style).reversed() {
      let isCapital = style == .words && isPunctuated && beginsSentence(range.lowerBound)
      replace(range, with: isCapital ? text.capitalizedFirst : text)
    }
  }

  /// Spells words in American or British English, except for names.
  mutating func spell(_ spelling: TextRules.Spelling) {
    for (index, word) in words.enumerated() {
      let marks = word.outerMarks
      let core = word.dropFirst(marks.before.count).dropLast(marks.after.count)
      guard let first = core.first, !first.isUppercase || beginsSentence(index) else { continue }
      let parts = core.split(separator: "-", omittingEmptySubsequences: false).map { part in
        let small = part.lowercased()
        // "Ten meters" are metres, but a meter may also be an instrument.
        let isLength =
          ["meter", "meters"].contains(small) && spelling == .british && index > 0
          && NumberReader.isPart(words[index - 1].wordCore)
        let new =
          isLength
          ? small.replacing("ter", with: "tre") : EnglishSpelling.word(small, in: spelling)
        guard new != small else { return String(part) }
        return part.first?.isUppercase == true ? new.capitalizedFirst : new
      }
      let text = marks.before + parts.joined(separator: "-") + marks.after
      transcription.segments[index].substring = String(text)
    }
  }

  /// Replaces phrases.
  mutating func replace(_ phrases: PhraseTable) {
    unsettle(phrases)
    for (range, text) in phrases.matches(in: words.map(\.wordCore)).reversed() {
      replace(range, with: text)
    }
  }

  /// Masks words.
  mutating func mask(_ masked: Set<String>) {
    for (index, word) in words.enumerated() where masked.contains(word.wordCore) {
      let marks = word.outerMarks
      let core = word.dropFirst(marks.before.count).dropLast(marks.after.count)
      let stars = String(repeating: "*", count: core.count - min(1, core.count))
      transcription.segments[index].substring = marks.before + core.prefix(1) + stars + marks.after
    }
  }

  /// Changes the alternatives of each word, and removes those that now equal the word.
  mutating func changeAlternatives(_ change: (String) -> String) {
    for (index, segment) in transcription.segments.enumerated()
    where !segment.alternativeSubstrings.isEmpty {
      var seen: Set = [segment.substring]
      transcription.segments[index].alternativeSubstrings = segment.alternativeSubstrings.map(
        change
      )
      .filter { seen.insert($0).inserted }
    }
  }
}

/// Phrases and the texts that replace them, found by their words without case and punctuation.
struct PhraseTable: Hashable, Sendable {
  private var texts: [[String]: String] = [:]
  /// The word counts of the phrases that begin with a word, the largest first.
  private var counts: [String: [Int]] = [:]
  /// The beginnings of the phrases of several words.
  private var beginnings: Set<[String]> = []

  mutating func add(_ phrase: String, _ text: String) {
    let words = phrase.split(whereSeparator: \.isWhitespace).map { String($0).wordCore }
    guard let first = words.first else { return }
    texts[words] = text
    counts[first] = Set((counts[first] ?? []) + [words.count]).sorted(by: >)
    guard words.count > 1 else { return }
    for count in 1..<words.count { beginnings.insert(Array(words.prefix(count))) }
  }

  /// Returns the phrases among the words, from left to right; of several, the longest.
  func matches(in words: [String]) -> [(range: Range<Int>, text: String)] {
    var found: [(Range<Int>, String)] = []
    var index = 0
    while index < words.count {
      let match = counts[words[index]]?.first { text(at: index, $0, words) != nil }
      if let count = match, let text = text(at: index, count, words) {
        found.append((index..<(index + count), text))
      }
      index += match ?? 1
    }
    return found
  }

  /// Returns the number of words before the first word that belongs, or may belong, to a phrase of
  /// several words.
  func settledCount(of words: [String]) -> Int {
    words.indices.first { index in
      beginnings.contains(Array(words[index...].prefix(Self.longest)))
        || counts[words[index]]?.contains { $0 > 1 && text(at: index, $0, words) != nil } == true
    } ?? words.count
  }

  /// The number of words of a phrase from which a beginning is not compared.
  private static let longest = 64

  /// Returns the text for the phrase of the next `count` words; nil if there is none.
  private func text(at index: Int, _ count: Int, _ words: [String]) -> String? {
    index + count <= words.count ? texts[Array(words[index..<(index + count)])] : nil
  }
}

extension String {
  /// The word in lower case, without the punctuation around it; a word of punctuation keeps it.
  var wordCore: String {
    let marks = outerMarks
    let core = dropFirst(marks.before.count).dropLast(marks.after.count)
    return (core.isEmpty ? self[...] : core).lowercased().replacing("\u{2019}", with: "'")
  }

  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  /// The punctuation marks before and after a word, which belong to the sentence.
  ///
  /// The marks of "C#" and "C++" belong to the word.
  package var outerMarks: (before: Substring, after: Substring) {
    let before = prefix { Self.sentenceMarks.contains($0) }
    let count = dropFirst(before.count).reversed().prefix { Self.sentenceMarks.contains($0) }.count
    return (before, suffix(count))
  }

  private static let sentenceMarks = Set(
    ".,;:!?\u{2026}\"'()[]\u{201C}\u{201D}\u{2018}\u{2019}\u{AB}\u{BB}\u{BF}\u{A1}")
}
