/// Converts English number words to digits; a run of number words becomes one number.
struct NumberReader {
  /// A number with its suffix: none, st, nd, rd, or th, or the s of a decade.
  struct Number {
    var digits: String
    var suffix = ""
    /// The number of words up to and including the number's last word.
    var end = 0

    var text: String { digits + suffix }
    /// The value of a whole number without a suffix.
    var whole: Int? { suffix.isEmpty ? Int(digits) : nil }
  }

  private let words: [String]
  private var place = 0
  private var result: [String] = []
  /// Whether the last result is a number that the next number may extend.
  private var isOpen = false

  /// Returns the words, with numbers in digits and units as words.
  ///
  /// Both "five dollars" and "$ 5" become "5 dollar"; "per cent" becomes "percent". `end` is the
  /// index after the last input word from which `word` was made.
  static func digits(in words: [String]) -> [(word: String, end: Int)] {
    var reader = NumberReader(words: words)
    var ends: [Int] = []
    while reader.place < words.count {
      let last = reader.result.last
      reader.readNext()
      // If the words just read extended the previous result, that result now ends here.
      if let index = ends.indices.last, reader.result[index] != last { ends[index] = reader.place }
      ends += Array(repeating: reader.place, count: reader.result.count - ends.count)
    }
    return Array(zip(reader.result, ends))
  }

  /// Returns the consecutive numbers at the beginning of the words, without joining them.
  static func run(in words: [String]) -> [Number] {
    var reader = NumberReader(words: words)
    var numbers: [Number] = []
    while true {
      if !numbers.isEmpty, reader.isDigitOh {
        reader.place += 1
        numbers.append(Number(digits: "0", end: reader.place))
      } else if var number = reader.number() {
        number.end = reader.place
        numbers.append(number)
      } else {
        return numbers
      }
    }
  }

  /// Returns whether a lowercase word is a cardinal number or a part of one, such as "thousand".
  static func isNumber(_ word: String) -> Bool {
    ones[word] != nil || tens[word] != nil || isScale(word)
  }

  /// Returns whether a lowercase word is a number, a part of one, or has digits.
  static func isPart(_ word: String) -> Bool {
    isNumber(word.withoutTh) || ordinals[word] != nil || decades[word] != nil
      || word.contains(where: \.isNumber)
  }

  /// Returns whether a lowercase word multiplies the number before it, such as "thousand".
  static func isScale(_ word: String) -> Bool { scales[word] != nil || word == "hundred" }

  /// Returns the value of a lowercase word for a digit; nil for other words.
  static func digit(_ word: String) -> Int? { ones[word].flatMap { $0 < 10 ? $0 : nil } }

  /// Returns whether a lowercase word is an ordinal from zeroth to ninth.
  static func isBelowTenth(_ word: String) -> Bool { ordinals[word].map { $0 < 10 } ?? false }

  /// Returns the word for a number below 20, or for a multiple of ten below 100.
  static func name(of number: Int) -> String { names[number] ?? "" }

  private static let names = Dictionary(
    ones.merging(tens) { one, _ in one }.map { ($0.value, $0.key) }, uniquingKeysWith: min)

  /// Whether the current word is the "oh" before another digit.
  private var isDigitOh: Bool {
    (word() == "oh" || word() == "o") && Self.ones[word(1)] != nil
  }

  private init(words: [String]) {
    self.words = words
  }

  private func word(_ offset: Int = 0) -> String {
    place + offset < words.count ? words[place + offset] : ""
  }

  private mutating func readNext() {
    if let unit = Self.signs[word()] {
      place += 1
      readMoney(in: unit)
    } else if isOpen, isDigitOh {
      place += 1
      append(Number(digits: "0"))
    } else if let number = number() {
      append(number)
    } else {
      readWord()
    }
  }

  private mutating func readWord() {
    if word() == "per", word(1) == "cent" {
      place += 1
      append("percent")
    } else if isOpen, ["a", "p"].contains(word()), word(1) == "m" {
      // "3 p m" is a time, like "3 p.m." and "3 pm".
      append(word() + "m")
      place += 1
    } else if word() != "and" || !isBeforeCents {
      append(Self.units[word()] ?? word())
    }
    place += 1
  }

  /// Whether this "and" stands between dollars and cents, as in "two dollars and fifty cents".
  private var isBeforeCents: Bool {
    guard let unit = result.last, Self.signs.values.contains(unit) else { return false }
    var ahead = self
    ahead.place += 1
    return ahead.number() != nil && Self.units[ahead.word()] == "cent"
  }

  private mutating func readMoney(in unit: String) {
    guard let number = number() else {
      // The currency sign may also follow the number, as in "5 €"; the number has then been read.
      if isOpen { append(unit) }
      return
    }
    let parts = number.digits.split(separator: ".")
    guard parts.count == 2, parts[1].count == 2 else {
      isOpen = false
      append(number)
      return append(unit)
    }
    if parts[0] != "0" { ["\(parts[0])", unit].forEach { append($0) } }
    if parts[1] != "00" { [Self.plain(parts[1]), "cent"].forEach { append($0) } }
  }

  private mutating func append(_ word: String) {
    result.append(word)
    isOpen = false
  }

  private mutating func append(_ number: Number) {
    let text = number.text
    if isOpen, number.suffix.isEmpty || number.suffix == "s" {
      result[result.count - 1] += text
    } else {
      result.append(text)
    }
    isOpen = number.suffix.isEmpty
  }

  /// Reads the number at the current position.
  ///
  /// A number consists of groups of up to three digits with descending scales.
  private mutating func number() -> Number? {
    if let decimal = decimal() { return decimal }
    guard var group = group() else { return nil }
    var total = 0
    var exponent = Int.max
    while true {
      guard group.suffix.isEmpty, let scale = Self.scales[word().withoutTh], scale < exponent else {
        return Number(digits: String(total + group.value), suffix: group.suffix(of: total))
      }
      total += group.value * Self.power(scale)
      exponent = scale
      let isOrdinal = word() != word().withoutTh
      place += 1
      let start = place
      if word() == "and" { place += 1 }
      guard !isOrdinal, let next = self.group(), next.value < Self.power(scale),
        Self.scales[word()].map({ $0 < scale }) ?? true
      else {
        if !isOrdinal { place = start }
        return Number(digits: String(total), suffix: isOrdinal ? "th" : "")
      }
      group = next
    }
  }

  /// Reads a number with a decimal point, or a number in digits; nil if the digits begin a longer
  /// number, such as "5 thousand".
  private mutating func decimal() -> Number? {
    var ahead = self
    var digits = word()
    if digits.isDecimal {
      ahead.place += 1
    } else if let whole = ahead.group(), whole.suffix.isEmpty, ahead.word() == "point",
      let rest = ahead.fraction()
    {
      digits = "\(whole.value).\(rest)"
    } else {
      return nil
    }
    let isPart = Self.scales[ahead.word()] != nil || ahead.word() == "hundred"
    guard digits.contains(".") || !isPart || digits.count > 6 else { return nil }
    place = ahead.place
    guard digits.contains("."), let scale = Self.scales[word()] else {
      return Number(digits: digits)
    }
    place += 1
    return Number(digits: Self.shifted(digits, by: scale))
  }

  /// Reads the digits after "point".
  private mutating func fraction() -> String? {
    place += 1
    var digits = ""
    while let digit = Self.ones[word()] ?? (word() == "oh" ? 0 : nil), digit < 10 {
      digits += String(digit)
      place += 1
    }
    if digits.isEmpty, word().isDecimal {
      digits = word()
      place += 1
    }
    return digits.isEmpty ? nil : digits
  }

  /// A part of a number before a scale such as "thousand": a number below a thousand, a multiple of
  /// a hundred, or up to six digits.
  private struct Group {
    var value: Int
    var suffix = ""

    /// Returns the suffix of the number `total + value`: its ordinal suffix if this group ends with
    /// "th"; otherwise, the group's own suffix.
    func suffix(of total: Int) -> String { suffix == "th" ? (total + value).ordinalSuffix : suffix }
  }

  private mutating func group() -> Group? {
    if word().isDecimal, word().count <= 6, let value = Int(word()) {
      place += 1
      return hundreds(of: Group(value: value))
    }
    if word() == "a", Self.scales[word(1)] != nil || word(1) == "hundred" {
      place += 1
      return hundreds(of: Group(value: 1))
    }
    return belowHundred().map { hundreds(of: $0) }
  }

  private mutating func hundreds(of group: Group) -> Group {
    guard group.suffix.isEmpty, group.value < 100, word().withoutTh == "hundred" else {
      return group
    }
    let isOrdinal = word() == "hundredth"
    place += 1
    let hundreds = group.value * 100
    if isOrdinal { return Group(value: hundreds, suffix: "th") }
    let start = place
    if word() == "and" { place += 1 }
    guard let rest = belowHundred() else {
      place = start
      return Group(value: hundreds)
    }
    return Group(value: hundreds + rest.value, suffix: rest.suffix)
  }

  private mutating func belowHundred() -> Group? {
    if let value = Self.ones[word()] {
      place += 1
      return Group(value: value)
    }
    if let value = Self.ordinals[word()] {
      place += 1
      return Group(value: value, suffix: "th")
    }
    if let value = Self.decades[word()] {
      place += 1
      return Group(value: value, suffix: "s")
    }
    guard let tens = Self.tens[word()] else { return nil }
    place += 1
    if let one = Self.ones[word()], (1...9).contains(one) {
      place += 1
      return Group(value: tens + one)
    }
    if let one = Self.ordinals[word()], one < 10 {
      place += 1
      return Group(value: tens + one, suffix: "th")
    }
    return Group(value: tens)
  }

  private static func power(_ exponent: Int) -> Int {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  private static func shifted(_ digits: String, by exponent: Int) -> String {
    let parts = digits.split(separator: ".")
    let fraction = parts[1]
    guard fraction.count > exponent else {
      return plain(parts[0] + fraction + String(repeating: "0", count: exponent - fraction.count))
    }
    return plain(parts[0] + fraction.prefix(exponent)) + "." + fraction.dropFirst(exponent)
  }

  /// Returns the digits without leading zeros.
  private static func plain(_ digits: some StringProtocol) -> String {
    let rest = digits.drop { $0 == "0" }
    return rest.isEmpty ? "0" : String(rest)
  }

  private static let signs = ["$": "dollar", "£": "pound", "€": "euro"]
  private static let units = [
    "dollars": "dollar", "pounds": "pound", "euros": "euro", "cents": "cent", "cent": "cent",
    "pence": "cent", "penny": "cent",
  ]
  private static let scales = ["thousand": 3, "million": 6, "billion": 9, "trillion": 12]
  private static let ones = numbered(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
      + "sixteen seventeen eighteen nineteen")
  private static let tens = numbered(
    "ten twenty thirty forty fifty sixty seventy eighty ninety", step: 10
  ).filter { $0.value > 10 }
  private static let ordinals = numbered(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
      + "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
  ).merging(
    numbered(
      "tenth twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth",
      step: 10)
  ) { first, _ in first }
  private static let decades = numbered(
    "tens twenties thirties forties fifties sixties seventies eighties nineties", step: 10
  ).filter { $0.value > 10 }

  /// Maps the words to 0, 1, 2, and so on; with a `step` of 10, to 10, 20, 30, and so on.
  private static func numbered(_ words: String, step: Int? = nil) -> [String: Int] {
    let pairs = words.split(separator: " ").enumerated().map { index, word in
      (String(word), step.map { (index + 1) * $0 } ?? index)
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }
}

extension String {
  /// Whether the text consists of digits with at most one decimal point between them.
  fileprivate var isDecimal: Bool {
    !isEmpty && allSatisfy { ("0"..."9").contains($0) || $0 == "." } && first != "." && last != "."
      && count { $0 == "." } <= 1
  }

  /// The word of a scale without its ordinal suffix: "thousand" for "thousandth".
  fileprivate var withoutTh: String {
    hasSuffix("dth") || hasSuffix("nth") ? String(dropLast(2)) : self
  }
}

extension Int {
  fileprivate var ordinalSuffix: String {
    switch (self % 100, self % 10) {
    case (11...13, _): "th"
    case (_, 1): "st"
    case (_, 2): "nd"
    case (_, 3): "rd"
    default: "th"
    }
  }
}
