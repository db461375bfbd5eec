/// Finds the English numbers of a text and writes them as people do.
///
/// A run of number words is changed only as a whole, and only if its meaning is certain: a single
/// number, a year, a time, or the digits of a telephone number.
struct WrittenNumbers {
  /// A number that is written in another way; the range is that of its words in the text.
  typealias Change = (range: Range<Int>, text: String)

  /// A word without its punctuation, in lower case.
  struct Word {
    var text: String
    /// The index of the word in the text; the parts of a word with hyphens have the same index.
    var index: Int
    /// Whether punctuation after the word ends a run of numbers.
    var endsRun = false
  }

  private let words: [Word]
  private let style: TextRules.Numbers
  private var place = 0

  /// The words before the current one as they are written now, each with its first word's index.
  private var written: [(start: Int, text: String)] = []

  /// Returns the numbers to change, in order.
  static func changes(in words: [Word], style: TextRules.Numbers) -> [Change] {
    var numbers = WrittenNumbers(words: words, style: style)
    var changes: [Change] = []
    while numbers.place < words.count {
      let start = numbers.place
      let text = style == .words ? numbers.spelled() : numbers.digits()
      numbers.place = max(numbers.place, start + 1)
      let read = start..<numbers.place
      if let text, let range = numbers.range(read), numbers.sounds(read, like: text) {
        changes.append((range, text))
        numbers.written.append((start, text))
      } else {
        numbers.written += read.map { ($0, words[$0].text) }
      }
    }
    return changes
  }

  private init(words: [Word], style: TextRules.Numbers) {
    (self.words, self.style) = (words, style)
  }

  /// Returns the range of the whole words of the text; nil if a word is only partly in the range.
  private func range(_ range: Range<Int>) -> Range<Int>? {
    let indices = words[range].map(\.index)
    let (before, after) = (range.lowerBound - 1, range.upperBound)
    guard let first = indices.first, let last = indices.last,
      before < 0 || words[before].index != first,
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

  private static let contextLength = 8

  /// Returns the word at an offset from the current one; empty after the end of the run.
  private func word(_ offset: Int = 0) -> String {
    let index = place + offset
    guard words.indices.contains(index) else { return "" }
    let isReached = offset <= 0 || !words[place..<index].contains(where: \.endsRun)
    return isReached ? words[index].text : ""
  }
}

/// Digits.
extension WrittenNumbers {
  /// Reads the words of a number, moves behind them, and returns the number; nil to keep the words.
  private mutating func digits() -> String? {
    guard word() == "a" || NumberReader.isPart(word()) else { return nil }
    let run = words[place...].prefix { !$0.endsRun }
    let end = words.indices.contains(run.endIndex) ? run.endIndex + 1 : run.endIndex
    let texts = words[place..<end].map(\.text)
    var numbers = NumberReader.run(in: texts)
    // An ordinal ends a run, as in "May twenty third nineteen eighty four".
    let ordinal = numbers.firstIndex { !$0.suffix.isEmpty } ?? numbers.endIndex
    numbers = Array(numbers.prefix(ordinal + 1))
    guard let last = numbers.last else { return nil }
    let (start, previous) = (place, word(-1))
    let read = texts.prefix(last.end)
    // The next word is behind punctuation if the run ends there.
    let isOver = words[start + last.end - 1].endsRun
    place = start + last.end
    let next = isOver ? "" : word()
    // A part of a number, as in "between 100 and two hundred", and "ten second" are uncertain.
    if NumberReader.isScale(next) || read.contains("second") || read.first == "a" { return nil }
    if !isOver, let time = time(numbers, after: previous) { return time }
    if !isOver, numbers.count == 1, let amount = amount(last, read: read) { return amount }
    if numbers.count > 1, next.isUnit { return nil }
    return year(numbers) ?? code(numbers) ?? single(numbers, read: read, after: previous)
  }

  /// Returns a time, as in "three thirty p m"; without the last word only after "at".
  private mutating func time(_ numbers: [NumberReader.Number], after previous: String) -> String? {
    guard let hour = numbers.first?.whole, (1...12).contains(hour) else { return nil }
    let minutes: String
    switch numbers.dropFirst().map(\.text) {
    case []: minutes = ""
    case let rest where rest.count == 1 && rest[0].count == 2 && rest[0] < "60":
      minutes = ":" + rest[0]
    case let rest where rest.count == 2 && rest[0] == "0" && rest[1].count == 1:
      minutes = ":0" + rest[1]
    default: return nil
    }
    for half in ["a", "p"] {
      let isSplit = word() == half && word(1) == "m"
      guard isSplit || word() == "\(half)m" && word(1) != "i" || word() == "\(half).m" else {
        continue
      }
      place += isSplit ? 2 : 1
      return "\(hour)\(minutes) \(half).m."
    }
    let isTime = !minutes.isEmpty && ["at", "until", "till"].contains(previous)
    return isTime && !word().isUnit ? "\(hour)\(minutes)" : nil
  }

  /// Returns an amount of money or a percentage.
  private mutating func amount(
    _ number: NumberReader.Number, read: ArraySlice<String>
  ) -> String? {
    guard number.suffix.isEmpty else { return nil }
    let text = Self.grouped(number.digits, as: read)
    switch word() {
    case "percent":
      place += 1
      return text + "%"
    case "per" where word(1) == "cent":
      place += 2
      return text + "%"
    case "dollar", "dollars", "euro", "euros":
      let sign = word().hasPrefix("d") ? "$" : "\u{20AC}"
      place += 1
      guard let whole = number.whole, let cents = cents() else { return sign + text }
      return "\(sign)\(whole).\(cents)"
    default: return nil
    }
  }

  /// Reads "and fifty cents" after an amount.
  private mutating func cents() -> String? {
    guard place > 0, !words[place - 1].endsRun else { return nil }
    let skipped = word() == "and" ? 1 : 0
    let rest = words[min(place + skipped, words.count)...].prefix(3).map(\.text)
    guard let number = NumberReader.run(in: rest).first, let cents = number.whole, cents < 100,
      number.end < rest.count, ["cent", "cents"].contains(rest[number.end])
    else { return nil }
    place += skipped + number.end + 1
    return cents < 10 ? "0\(cents)" : "\(cents)"
  }

  /// Returns a year, as in "nineteen ninety nine", "twenty oh five", and "nineteen eighties".
  private func year(_ numbers: [NumberReader.Number]) -> String? {
    guard let century = numbers.first?.whole, (15...20).contains(century) else { return nil }
    let rest = numbers.dropFirst().map(\.text)
    if rest.count == 1, rest[0].prefix(while: \.isNumber).count == 2,
      numbers[1].suffix.isEmpty || numbers[1].suffix == "s"
    {
      return "\(century)\(rest[0])"
    }
    let isShort = rest.count == 2 && rest[0] == "0" && rest[1].count == 1
    return isShort ? "\(century)0\(rest[1])" : nil
  }

  /// Returns the digits of a telephone number or a code; nil for counting, as in "one two three".
  private func code(_ numbers: [NumberReader.Number]) -> String? {
    guard numbers.count > 2, numbers.allSatisfy({ $0.text.count == 1 }) else { return nil }
    let isCounting = zip(numbers, numbers.dropFirst()).allSatisfy {
      $0.whole.map { $0 + 1 } == $1.whole
    }
    return isCounting ? nil : numbers.map(\.text).joined()
  }

  /// Returns a single number; nil if it is below ten or possibly the end of a fraction.
  private func single(
    _ numbers: [NumberReader.Number], read: ArraySlice<String>, after previous: String
  ) -> String? {
    guard numbers.count == 1, let number = numbers.first, previous != "past" else { return nil }
    guard number.suffix.isEmpty else {
      let isFraction = ["a", "an", "one"].contains(previous)
      return number.suffix == "s" || isFraction || number.text.count < 4 ? nil : number.text
    }
    let isSmall = number.whole.map { $0 < 10 } ?? false
    let keepsSmall = style == .usual || read == ["one"]
    return isSmall && keepsSmall ? nil : Self.grouped(number.digits, as: read)
  }

  /// Returns a number with commas from 10,000 on; round millions keep their word.
  private static func grouped(_ digits: String, as read: ArraySlice<String>) -> String {
    guard !digits.contains(".") else { return digits }
    let scales = ["million": 6, "billion": 9, "trillion": 12]
    if let scale = read.last, let zeros = scales[scale], digits.count > zeros {
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
  /// Reads a number in digits, moves behind it, and returns its words; nil if there is none.
  private mutating func spelled() -> String? {
    let word = word()
    place += 1
    guard word.contains(where: \.isNumber) else { return nil }
    let sign = Self.signs.first { word.hasPrefix($0.key) }?.value
    let bare = word.drop { !$0.isNumber }.filter { $0 != "," }
    let suffix = String(bare.drop { $0.isNumber || $0 == "." || $0 == ":" })
    let digits = String(bare.dropLast(suffix.count))
    guard let sign else {
      switch suffix {
      case "": return Self.words(of: digits, hasCommas: word.contains(","))
      case "%": return Self.words(of: digits, hasCommas: true).map { $0 + " percent" }
      case "st", "nd", "rd", "th": return Int(digits).map { Self.ordinal(Self.cardinal($0)) }
      default: return nil
      }
    }
    guard suffix.isEmpty else { return nil }
    let parts = digits.split(separator: ".")
    if NumberReader.isScale(self.word()), let amount = Self.words(of: digits, hasCommas: true) {
      place += 1
      return "\(amount) \(words[place - 1].text) \(sign)s"
    }
    guard let whole = parts.first.flatMap({ Int($0) }) else { return nil }
    let amount = "\(Self.cardinal(whole)) \(sign)\(whole == 1 ? "" : "s")"
    guard parts.count == 2, let cents = Int(parts[1]) else { return amount }
    return "\(amount) and \(Self.cardinal(cents)) cent\(cents == 1 ? "" : "s")"
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
  fileprivate var trimmingZeros: String {
    String(self[..<(lastIndex { $0 != "0" }.map(index(after:)) ?? startIndex)])
  }
}
