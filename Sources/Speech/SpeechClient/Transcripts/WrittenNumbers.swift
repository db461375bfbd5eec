/// Finds the English numbers of a text and writes them in digits or in words.
///
/// A run of number words is changed only as a whole, and only if it is certainly a single number, a
/// year, a time, or the digits of a telephone number. Lists, scores, and ranges stay.
struct WrittenNumbers {
  /// A number that is written in another way; the range is that of its words.
  typealias Change = (range: Range<Int>, text: String)

  /// A word without its punctuation, in lower case.
  struct Word {
    var text: String
    /// The index of the word in the text; the parts of a word with hyphens have the same index.
    var index: Int
    /// The punctuation before the word.
    var before: Substring = ""
    /// The punctuation after the word.
    var after: Substring = ""
  }

  private let words: [Word]
  /// The first words as they are written now, each with its index.
  private var written: [(start: Int, text: String)] = []
  private var changes: [Change] = []

  /// The number of words around a run that may affect how it is written.
  static let contextLength = 4

  /// Returns the numbers to change in the runs, in order, with the ranges of their words in the
  /// text.
  static func changes(
    in words: [Word], runs: [Range<Int>], style: TextRules.Numbers
  ) -> [Change] {
    var numbers = WrittenNumbers(words: words)
    var place = 0
    for run in runs {
      let found =
        style == .words
        ? run.compactMap { numbers.spelled(at: $0) }
        : numbers.digits(in: run, keepsSmall: style == .usual)
      for change in found where change.range.lowerBound >= place {
        numbers.written += (place..<change.range.lowerBound).map { ($0, words[$0].text) }
        numbers.write(change)
        place = change.range.upperBound
      }
    }
    return numbers.changes
  }

  /// Returns the runs of numbers, with the words between two numbers, such as "to" and "or".
  static func runs(in words: [Word]) -> [Range<Int>] {
    let numbers = WrittenNumbers(words: words)
    var runs: [Range<Int>] = []
    var place = 0
    while place < words.count {
      var end = place
      while let next = numbers.end(ofRunAt: end, isStart: end == place) { end = next }
      if end > place { runs.append(place..<end) }
      place = max(end, place + 1)
    }
    return runs
  }

  private init(words: [Word]) {
    self.words = words
  }

  /// Returns the end of a run after its next number word; nil if the run ends at `place`.
  private func end(ofRunAt place: Int, isStart: Bool) -> Int? {
    guard place < words.count, isStart || isJoined(place, withComma: true) else { return nil }
    for end in place..<min(place + 3, words.count) {
      guard end == place || isJoined(end) else { break }
      let text = words[end].text
      if NumberReader.isPart(text) { return end + 1 }
      guard isStart ? Self.zeros.contains(text) : Self.joiners.contains(text) else { break }
    }
    // "Oh" may also be the last digit.
    let isDigit = !isStart && isJoined(place) && Self.zeros.contains(words[place].text)
    return isDigit ? place + 1 : nil
  }

  /// Whether there is no punctuation before a word, or only a comma.
  private func isJoined(_ place: Int, withComma: Bool = false) -> Bool {
    let after = words[place - 1].after
    return (after.isEmpty || withComma && after == ",") && words[place].before.isEmpty
  }

  /// Returns a word in the same phrase as the word before it; empty if there is none.
  private func follower(_ place: Int) -> String {
    place > 0 && place < words.count && isJoined(place) ? words[place].text : ""
  }

  /// Returns the word `offset` words before another one in the same phrase; empty if there is none.
  private func word(_ offset: Int, before place: Int) -> String {
    guard place >= offset, (place - offset + 1...place).allSatisfy({ isJoined($0) }) else {
      return ""
    }
    return words[place - offset].text
  }

  private mutating func write(_ change: Change) {
    if let range = textRange(change.range), sounds(change.range, like: change.text) {
      changes.append((range, change.text))
      written.append((change.range.lowerBound, change.text))
    } else {
      written += change.range.map { ($0, words[$0].text) }
    }
  }

  /// Returns the range of the whole words of the text; nil if a word is only partly in the range.
  private func textRange(_ range: Range<Int>) -> Range<Int>? {
    let (before, after) = (range.lowerBound - 1, range.upperBound)
    let (first, last) = (words[range.lowerBound].index, words[after - 1].index)
    guard before < 0 || words[before].index != first,
      after >= words.count || words[after].index != last
    else { return nil }
    return first..<(last + 1)
  }

  /// Returns whether a change keeps the words as `WordNormalization.spoken` compares them.
  ///
  /// The words around the number count, too, because neighboring numbers are joined.
  private func sounds(_ range: Range<Int>, like text: String) -> Bool {
    let old = words[range].map(\.text)
    guard text != old.joined(separator: " ") else { return false }
    let before = written.suffix(Self.contextLength)
    let oldBefore = words[(before.first?.start ?? 0)..<range.lowerBound].map(\.text)
    let after = words[range.upperBound...].prefix(Self.contextLength).map(\.text)
    let new = WordNormalization.spoken.words(of: before.map(\.text) + [text] + after)
    return new.map(\.word)
      == WordNormalization.spoken.words(of: oldBefore + old + after).map(\.word)
  }

  private static func set(_ words: String) -> Set<String> {
    Set(words.split(whereSeparator: \.isWhitespace).map(String.init))
  }

  private static let zeros = set("oh o")
  private static let joiners = set(
    """
    and or to past point oh o minus plus times by through till until percent dollar dollars euro euros \
    pound pounds
    """)
  private static let currencies = [
    "dollar": "$", "dollars": "$", "euro": "\u{20AC}", "euros": "\u{20AC}",
  ]
  private static let cents = set("cent cents")
  private static let codeCues = set("call dial code room extension flight pin zip")
  private static let months = set(
    "january february march april may june july august september october november december")
  private static let yearCues = set(
    "in since of year by until till from to before after during between")
  /// Words that begin another phrase after a year.
  private static let phraseBeginnings = set(
    """
    a an the and or but to at in on by for with from until through when where while he she it we they i \
    you was were is are had has did that there this our his her their after before because as if so then
    """)
}

/// Digits.
extension WrittenNumbers {
  /// Returns how a run is written in digits; empty if it stays.
  private func digits(in run: Range<Int>, keepsSmall: Bool) -> [Change] {
    // The engine's own digits stay, and so do the numbers beside them.
    guard !words[run].contains(where: { $0.text.contains(where: \.isNumber) }) else { return [] }
    if let code = code(in: run) { return [(run, code)] }
    if let years = years(in: run) ?? date(in: run) { return years }
    guard run.dropFirst().allSatisfy({ isJoined($0) }) else { return [] }
    return number(in: run, keepsSmall: keepsSmall).map { [$0] } ?? []
  }

  /// Reads all words of a range; nil if some of them do not belong to a number.
  private func numbers(in range: Range<Int>) -> [NumberReader.Number]? {
    let numbers = NumberReader.run(in: words[range].map(\.text))
    return numbers.last?.end == range.count ? numbers : nil
  }

  /// Returns the digits of a telephone number or a code; nil for counting, as in "three two one".
  private func code(in run: Range<Int>) -> String? {
    let digits = words[run].compactMap {
      Self.zeros.contains($0.text) ? 0 : NumberReader.digit($0.text)
    }
    let isCued = Self.codeCues.contains(word(1, before: run.lowerBound))
    let next = follower(run.upperBound)
    guard digits.count == run.count, digits.count >= (isCued ? 3 : 7), !next.isUnit,
      run.dropFirst().allSatisfy({ isJoined($0) }),
      next.isEmpty || !Self.zeros.contains(words[run.upperBound - 1].text)
    else { return nil }
    let isCounting =
      Set(digits).count < 3 || digits.starts(with: [1, 2, 3]) || digits.suffix(3) == [3, 2, 1]
      || Set(zip(digits, digits.dropFirst()).map { $1 - $0 }).count == 1
    return isCounting && !isCued ? nil : digits.map(String.init).joined()
  }

  /// Returns the years of a run, as in "from nineteen ninety to twenty oh five"; nil if it has
  /// other numbers.
  private func years(in run: Range<Int>) -> [Change]? {
    let cue = word(1, before: run.lowerBound)
    let pieces = run.split { ["to", "and", "or", "until", "through"].contains(words[$0].text) }
    let years = pieces.compactMap { year(in: $0.startIndex..<$0.endIndex, after: cue) }
    return years.count == pieces.count ? years : nil
  }

  /// Returns a year, as in "nineteen ninety nine", "in twenty oh five", and "nineteen eighties".
  private func year(in range: Range<Int>, after cue: String) -> Change? {
    guard range.dropFirst().allSatisfy({ isJoined($0) }), let numbers = numbers(in: range),
      let century = numbers[0].whole, (15...20).contains(century)
    else { return nil }
    let next = follower(range.upperBound)
    let rest = numbers.dropFirst().map(\.text)
    let isCued = Self.yearCues.contains(cue) || Self.months.contains(cue)
    switch rest.count {
    case 1 where numbers[1].suffix == "s" && rest[0].count == 3: break
    case 1 where numbers[1].whole.map { (10...99).contains($0) } == true && !next.isUnit:
      // "Twenty thirty people" are twenty or thirty.
      let isClear = century == 19 && rest[0] >= "30"
      let ends = next.isEmpty || Self.phraseBeginnings.contains(next)
      guard isClear || isCued && ends else { return nil }
    case 2 where rest[0] == "0" && rest[1].count == 1 && isCued && !next.isUnit: break
    default: return nil
    }
    return (range, "\(century)" + rest.joined())
  }

  /// Returns a day and a year after a month, as in "May twenty third nineteen eighty four".
  private func date(in run: Range<Int>) -> [Change]? {
    let month = word(1, before: run.lowerBound)
    guard Self.months.contains(month) else { return nil }
    let numbers = NumberReader.run(in: words[run].prefix(2).map(\.text))
    guard let day = numbers.first, !["", "s"].contains(day.suffix), Int(day.digits) ?? 32 < 32,
      day.end == 1 || isJoined(run.lowerBound + 1)
    else { return nil }
    let rest = (run.lowerBound + day.end)..<run.upperBound
    if let year = rest.isEmpty ? nil : year(in: rest, after: month) {
      return [(run.lowerBound..<rest.lowerBound, day.text), year]
    }
    // "May" and "march" are also verbs.
    let isDate = !["may", "march"].contains(month) && !follower(run.upperBound).isPlural
    return rest.isEmpty && isDate ? [(run, day.text)] : nil
  }

  /// Returns a time, an amount, or another single number.
  private func number(in run: Range<Int>, keepsSmall: Bool) -> Change? {
    guard isCertain(run) else { return nil }
    if let price = price(in: run) { return price }
    guard let numbers = numbers(in: run) else { return nil }
    if let time = time(numbers, in: run) { return time }
    guard numbers.count == 1 else { return nil }
    let (number, texts) = (numbers[0], words[run].map(\.text))
    guard number.suffix.isEmpty else {
      return isOrdinal(run) && number.suffix != "s" ? (run, number.text) : nil
    }
    let text = Self.grouped(number.digits, scale: texts[texts.count - 1])
    let (next, second) = (follower(run.upperBound), follower(run.upperBound + 1))
    if next == "percent" { return (run.lowerBound..<run.upperBound + 1, text + "%") }
    if next == "per", second == "cent" { return (run.lowerBound..<run.upperBound + 2, text + "%") }
    if let sign = Self.currencies[next] {
      let isCents = Self.cents.contains(second)
      return isCents ? nil : (run.lowerBound..<run.upperBound + 1, sign + text)
    }
    let isSmall = number.whole.map { $0 < 10 } ?? false
    return isSmall && (keepsSmall || texts == ["one"]) ? nil : (run, text)
  }

  /// Returns whether the words around a run do not make it uncertain, as in "a few thousand", "half
  /// past ten", "ten and a half", "two thirds", and "at one point five people left".
  private func isCertain(_ run: Range<Int>) -> Bool {
    let (previous, next) = (word(1, before: run.lowerBound), follower(run.upperBound))
    let texts = words[run].map(\.text)
    let parts = texts.split(separator: "and", maxSplits: 1)
    let isList = parts.count > 1 && (parts[1].contains("hundred") || previous == "between")
    let isClock =
      ["to", "till", "of", "before", "after"].contains(previous)
      && ["quarter", "half", "minute", "minutes"].contains(word(2, before: run.lowerBound))
    let isPlace =
      texts.starts(with: ["one", "point"])
      && ["at", "this", "that", "my", "another", "to", "some"].contains(previous)
    let isMixed =
      next == "and" && ["a", "half", "one"].contains(follower(run.upperBound + 1))
    let isFraction =
      next.hasSuffix("s") && next != "seconds" && NumberReader.isPart(String(next.dropLast()))
    return !NumberReader.isScale(texts[0]) && !texts.contains("second") && !isList && !isClock
      && !isPlace && !isMixed && !isFraction && !["past", "point", "few"].contains(previous)
      && !["love", "nil", "all", "odd", "something"].contains(next)
  }

  /// Returns whether an ordinal from tenth on is no fraction, and does not count things, as in
  /// "twenty first graders".
  private func isOrdinal(_ run: Range<Int>) -> Bool {
    let last = words[run.upperBound - 1].text
    return !["a", "an", "one", "per"].contains(word(1, before: run.lowerBound))
      && !NumberReader.isScale(String(last.dropLast(2)))
      && (run.count > 1 ? !follower(run.upperBound).isPlural : !NumberReader.isBelowTenth(last))
  }

  /// Returns a time, as in "three thirty p m" and "ten o'clock".
  private func time(_ numbers: [NumberReader.Number], in run: Range<Int>) -> Change? {
    guard let hour = numbers[0].whole, (1...12).contains(hour) else { return nil }
    let minutes: String
    switch numbers.dropFirst().map(\.text) {
    case []: minutes = ""
    case let rest where rest.count == 1 && rest[0].count == 2 && rest[0] < "60":
      minutes = ":" + rest[0]
    case let rest where rest.count == 2 && rest[0] == "0" && rest[1].count == 1:
      minutes = ":0" + rest[1]
    default: return nil
    }
    let (next, second) = (follower(run.upperBound), follower(run.upperBound + 1))
    if next == "o'clock", minutes.isEmpty { return (run, "\(hour)") }
    for half in ["a", "p"] {
      let isSplit = next == half && second == "m"
      guard isSplit || next == "\(half)m" && second != "i" || next == "\(half).m" else { continue }
      let end = run.upperBound + (isSplit ? 2 : 1)
      return (run.lowerBound..<end, "\(hour)\(minutes) \(half).m.")
    }
    return nil
  }

  /// Returns an amount with cents, as in "five dollars and fifty cents".
  private func price(in run: Range<Int>) -> Change? {
    guard Self.cents.contains(follower(run.upperBound)),
      let unit = run.first(where: { Self.currencies[words[$0].text] != nil }),
      let sign = Self.currencies[words[unit].text], unit + 1 < run.upperBound
    else { return nil }
    let start = words[unit + 1].text == "and" ? unit + 2 : unit + 1
    guard let whole = numbers(in: run.lowerBound..<unit), whole.count == 1, whole[0].whole != nil,
      let rest = numbers(in: start..<run.upperBound), rest.count == 1,
      let cents = rest[0].whole, cents < 100
    else { return nil }
    let text = sign + Self.grouped(whole[0].digits) + (cents < 10 ? ".0" : ".") + "\(cents)"
    return (run.lowerBound..<run.upperBound + 1, text)
  }

  /// Returns a number with commas from 10,000 on; round millions keep their word.
  private static func grouped(_ digits: String, scale: String = "") -> String {
    guard !digits.contains(".") else { return digits }
    if let zeros = ["million": 6, "billion": 9, "trillion": 12][scale], digits.count > zeros {
      let fraction = String(digits.suffix(zeros)).trimmingZeros
      if fraction.count < 3 {
        let whole = digits.dropLast(zeros)
        return "\(whole)\(fraction.isEmpty ? "" : ".")\(fraction) \(scale)"
      }
    }
    guard digits.count > 4 else { return digits }
    return digits.enumerated().reduce(into: "") { text, digit in
      let isGroup = digit.offset > 0 && (digits.count - digit.offset) % 3 == 0
      text += (isGroup ? "," : "") + String(digit.element)
    }
  }
}

/// Words.
extension WrittenNumbers {
  /// Returns the words of a number in digits; nil if there is none, or if it is uncertain.
  private func spelled(at place: Int) -> Change? {
    let word = words[place].text
    let sign = Self.signs.first { word.hasPrefix($0.key) }
    let bare = word.dropFirst(sign == nil ? 0 : 1)
    guard bare.first?.isNumber == true, !words[place].before.contains(".") else { return nil }
    let hasCommas = bare.contains(",")
    let number = bare.filter { $0 != "," }
    let suffix = String(number.drop { $0.isNumber || $0 == "." || $0 == ":" })
    let digits = String(number.dropLast(suffix.count))
    let range = place..<(place + 1)
    func change(_ text: String?) -> Change? { text.map { (range, $0) } }
    guard let sign else {
      switch suffix {
      case "" where Self.codeCues.contains(self.word(1, before: place)) && Int(digits) != nil:
        return change(Self.digitWords(digits))
      case "": return change(Self.words(of: digits, hasCommas: hasCommas))
      case "%": return change(Self.words(of: digits, hasCommas: true).map { $0 + " percent" })
      case "st", "nd", "rd", "th":
        return change(Int(digits).map { Self.ordinal(Self.cardinal($0)) })
      default: return nil
      }
    }
    guard suffix.isEmpty else { return nil }
    let next = follower(place + 1)
    if NumberReader.isScale(next), let amount = Self.words(of: digits, hasCommas: true) {
      return (place..<(place + 2), "\(amount) \(next) \(sign.value)s")
    }
    let parts = digits.split(separator: ".")
    guard let whole = parts.first.flatMap({ Int($0) }) else { return nil }
    let amount = "\(Self.cardinal(whole)) \(sign.value)\(whole == 1 ? "" : "s")"
    guard parts.count == 2, let cents = Int(parts[1]) else { return change(amount) }
    return change("\(amount) and \(Self.cardinal(cents)) cent\(cents == 1 ? "" : "s")")
  }

  private static let signs = ["$": "dollar", "\u{20AC}": "euro"]

  /// Returns the words of a number, a time, a decimal, a year, or a telephone number.
  private static func words(of digits: String, hasCommas: Bool) -> String? {
    let parts = digits.split { $0 == "." || $0 == ":" }.map(String.init)
    guard parts.count < 3, let first = parts.first, let number = Int(first) else { return nil }
    if parts.count == 2, digits.contains(":") {
      guard let minutes = Int(parts[1]), minutes > 0 else { return nil }
      return cardinal(number) + (minutes < 10 ? " oh " : " ") + cardinal(minutes)
    }
    if parts.count == 2 { return cardinal(number) + " point " + digitWords(parts[1]) }
    if first.count > 1, first.hasPrefix("0") || first.count > 6 && !hasCommas {
      return digitWords(first)
    }
    // Five digits may be a number or a postal code.
    guard first.count < 5 || hasCommas else { return nil }
    let isYear =
      !hasCommas && (1_500...2_099).contains(number) && number / 100 != 20 && number % 100 > 9
      || (2_010...2_099).contains(number)
    return isYear ? cardinal(number / 100) + " " + cardinal(number % 100) : cardinal(number)
  }

  private static func digitWords(_ digits: String) -> String {
    digits.compactMap(\.wholeNumberValue).map(cardinal).joined(separator: " ")
  }

  private static func cardinal(_ number: Int) -> String {
    switch number {
    case ..<20: return NumberReader.name(of: number)
    case ..<100:
      let tens = NumberReader.name(of: number / 10 * 10)
      return tens + (number % 10 == 0 ? "" : "-" + cardinal(number % 10))
    case ..<1_000:
      let rest = number % 100
      return cardinal(number / 100) + " hundred" + (rest == 0 ? "" : " and " + cardinal(rest))
    default:
      let scales = [(12, "trillion"), (9, "billion"), (6, "million"), (3, "thousand")]
      for (zeros, scale) in scales {
        let size = (0..<zeros).reduce(1) { size, _ in size * 10 }
        guard number >= size else { continue }
        let rest = number % size
        let tail = rest == 0 ? "" : (rest < 100 ? " and " : " ") + cardinal(rest)
        return cardinal(number / size) + " " + scale + tail
      }
      return ""
    }
  }

  private static func ordinal(_ cardinal: String) -> String {
    let irregular = [
      "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
      "nine": "ninth", "twelve": "twelfth",
    ]
    for (number, ordinal) in irregular where cardinal.hasSuffix(number) {
      return cardinal.dropLast(number.count) + ordinal
    }
    return cardinal.hasSuffix("y") ? cardinal.dropLast() + "ieth" : cardinal + "th"
  }
}

extension String {
  /// Whether the word looks like a plural.
  fileprivate var isPlural: Bool { count > 3 && hasSuffix("s") }

  fileprivate var trimmingZeros: String {
    String(self[..<(lastIndex { $0 != "0" }.map(index(after:)) ?? startIndex)])
  }
}
