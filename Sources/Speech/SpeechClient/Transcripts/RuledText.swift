/// A transcription while rules are applied to it, with its number of stable words.
struct RuledText {
  private(set) var transcription: Transcription
  private(set) var stableCount: Int
  private let isFinal: Bool

  init(_ transcription: Transcription, stableCount: Int, isFinal: Bool) {
    (self.transcription, self.stableCount, self.isFinal) = (transcription, stableCount, isFinal)
  }

  private var cores: [String] { transcription.segments.map(\.substring.wordCore) }

  /// Whether a sentence begins after this word; nil is the beginning of the text.
  private static func endsSentence(_ word: String?) -> Bool {
    guard let word else { return true }
    return word.outerMarks.after.contains { ".?!\n".contains($0) } || word.allSatisfy(\.isNewline)
  }

  /// Rewrites ranges of words, which are in order, in one pass.
  ///
  /// `write` adds a range's new words to the words before it, and returns whether the next word
  /// begins a sentence.
  private mutating func rewrite(
    _ changes: [(range: Range<Int>, text: String)],
    _ write: (inout [TranscriptionSegment], ArraySlice<TranscriptionSegment>, String) -> Bool
  ) {
    guard !changes.isEmpty else { return }
    var old = transcription.segments
    var new: [TranscriptionSegment] = []
    var (next, stable) = (0, Int?.none)
    for (range, text) in changes + [(old.count..<old.count, "")] {
      new += old[next..<range.lowerBound]
      if stable == nil, stableCount < max(range.upperBound, range.lowerBound + 1) {
        stable = new.count - max(0, range.lowerBound - stableCount)
      }
      next = range.upperBound
      guard !range.isEmpty, write(&new, old[range], text), next < old.count else { continue }
      old[next].substring = old[next].substring.capitalizedFirst
    }
    transcription.segments = new
    stableCount = stable ?? new.count
  }

  /// Adds a text that replaces words, with the punctuation around the words and, at the beginning
  /// of a sentence, their capital.
  ///
  /// If the number of words changes, the new words share the time of the old ones, by the number of
  /// their letters, and have the lowest of their confidences.
  private static func replace(
    _ new: inout [TranscriptionSegment], _ old: ArraySlice<TranscriptionSegment>, _ text: String
  ) -> Bool {
    guard let first = old.first, let last = old.last else { return false }
    let (before, after) = (first.substring.outerMarks.before, last.substring.outerMarks.after)
    let isCapital =
      first.substring.first { $0.isLetter }?.isUppercase == true
      && endsSentence(new.last?.substring)
    var texts = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard !texts.isEmpty else {
      // The end of a sentence stays.
      let isEnd = after.contains { ".?!".contains($0) }
      if isEnd, let word = new.last?.substring, !endsSentence(word) {
        new[new.count - 1].substring = word.dropLast(word.outerMarks.after.count) + String(after)
      }
      return isCapital
    }
    if isCapital, text == text.lowercased() { texts[0] = texts[0].capitalizedFirst }
    if !texts[0].hasPrefix(before) { texts[0] = before + texts[0] }
    let end = texts.count - 1
    if after.first == ".", texts[end].hasSuffix(".") { texts[end].removeLast() }
    if !texts[end].hasSuffix(after) { texts[end] += after }
    guard texts.count != old.count else {
      for (var word, text) in zip(old, texts) {
        word.substring = text
        new.append(word)
      }
      return false
    }
    var time = first.timestamp
    let letter =
      (old.reduce(time) { max($0, $1.end) } - time) / max(1, texts.reduce(0) { $0 + $1.count })
    for (index, text) in texts.enumerated() {
      let next = index == end ? old.reduce(time) { max($0, $1.end) } : time + letter * text.count
      new.append(
        TranscriptionSegment(
          substring: text, timestamp: time, duration: next - time,
          confidence: old.compactMap(\.confidence).min()))
      time = next
    }
    return false
  }

  /// Keeps words from being stable if a later word may still complete a phrase with them.
  private mutating func unsettle(_ phrases: PhraseTable) {
    guard !isFinal else { return }
    let stable = transcription.segments.prefix(stableCount)
    stableCount = phrases.settledCount(of: stable.map(\.substring.wordCore))
  }

  // MARK: Rules

  /// Writes "comma" and other marks as marks, and capitals after the ends of sentences.
  ///
  /// The words stay if they are spoken about, as in "a comma" and "that period of time".
  mutating func writeSpokenPunctuation() {
    unsettle(Self.marks)
    let cores = cores
    let marks = Self.marks.matches(in: cores).filter { range, mark in
      let previous = range.lowerBound > 0 ? cores[range.lowerBound - 1] : ""
      let next = range.upperBound < cores.count ? cores[range.upperBound] : ""
      return !Self.wordsBeforeNouns.contains(previous) && !(mark == "." && next == "of")
        && !(mark == ":" && next == "cancer")
    }
    rewrite(marks) { new, old, mark in
      let last = new.last?.substring
      let isBreak = mark.hasPrefix("\n")
      guard !isBreak, let last, !last.allSatisfy(\.isNewline) else {
        new.append(old.joined(as: mark))
        return isBreak || ".?!".contains(mark)
      }
      // The word before a mark stays stable, because marks are not words.
      let open = last.reversed().prefix { ".,;:?!\u{2026}".contains($0) }
      let word = [new[new.count - 1]] + old
      new[new.count - 1] = word.joined(as: last.dropLast(open.count) + mark)
      return ".?!".contains(mark)
    }
  }

  /// Words after which the name of a mark is a noun.
  private static let wordsBeforeNouns: Set = [
    "a", "an", "the", "this", "that", "each", "every", "grace", "trial", "time", "oxford",
  ]

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
    let words = transcription.segments.map(\.substring)
    let parts = words.enumerated().flatMap { index, word in
      let (marks, core) = (word.outerMarks, word.wordCore)
      // The engine's digits stay together, as in "18-24".
      let inner = core.contains(where: \.isNumber) ? [core[...]] : core.hyphenParts
      return inner.enumerated().map { part, text in
        WrittenNumbers.Word(
          text: String(text), index: index, before: part == 0 ? marks.before : "",
          after: part == inner.count - 1 ? marks.after : "")
      }
    }
    let runs = WrittenNumbers.runs(in: parts)
    let stablePartCount = parts.firstIndex { $0.index >= stableCount } ?? parts.count
    let isOpen = { (run: Range) in
      run.upperBound + WrittenNumbers.contextLength > stablePartCount
    }
    if !isFinal, let run = runs.first(where: isOpen) {
      stableCount = min(stableCount, parts[run.lowerBound].index)
    }
    let isPunctuated = words.contains { $0.last.map { ".?!".contains($0) } == true }
    let changes = WrittenNumbers.changes(in: parts, runs: runs, style: style).map { range, text in
      let before = range.lowerBound > 0 ? words[range.lowerBound - 1] : nil
      let isCapital = style == .words && isPunctuated && Self.endsSentence(before)
      return (range: range, text: isCapital ? text.capitalizedFirst : text)
    }
    rewrite(changes, Self.replace)
  }

  /// Spells words in American or British English, except for names.
  mutating func spell(_ spelling: TextRules.Spelling) {
    for index in transcription.segments.indices {
      let word = transcription.segments[index].substring
      let before = index > 0 ? transcription.segments[index - 1].substring : nil
      let marks = word.outerMarks
      let core = word.dropFirst(marks.before.count).dropLast(marks.after.count)
      let isName = ["gray", "grey"].contains(core.lowercased()) || !Self.endsSentence(before)
      guard let first = core.first, !first.isUppercase || !isName else { continue }
      // "Ten meters" are metres, but a meter may also be a device.
      let isLength =
        core == "meters" && spelling == .british && marks.before.isEmpty
        && before.map { NumberReader.isNumber($0) || $0.allSatisfy(\.isNumber) } == true
      let parts = core.split(separator: "-", omittingEmptySubsequences: false).map { part in
        let small = part.lowercased()
        let new = isLength ? "metres" : EnglishSpelling.word(small, in: spelling)
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
    rewrite(phrases.matches(in: cores), Self.replace)
  }

  /// Masks words.
  mutating func mask(_ masked: Set<String>) {
    for index in transcription.segments.indices {
      let word = transcription.segments[index].substring
      guard masked.contains(word.wordCore) else { continue }
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
      transcription.segments[index].alternativeSubstrings = segment.alternativeSubstrings
        .map(change).filter { !$0.isEmpty && seen.insert($0).inserted }
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

  /// The maximum number of words of an incomplete phrase to compare.
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

  /// The parts between hyphens.
  fileprivate var hyphenParts: [Substring] {
    split(omittingEmptySubsequences: false) { "-\u{2010}\u{2011}".contains($0) }
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

extension Collection<TranscriptionSegment> {
  /// Returns one word over the time of these words, with the lowest of their confidences.
  fileprivate func joined(as text: String) -> TranscriptionSegment {
    let start = first?.timestamp ?? .zero
    return TranscriptionSegment(
      substring: text, timestamp: start,
      duration: reduce(start) { Swift.max($0, $1.end) } - start,
      confidence: compactMap(\.confidence).min())
  }
}

extension TranscriptionSegment {
  fileprivate var end: Duration { timestamp + duration }
}
