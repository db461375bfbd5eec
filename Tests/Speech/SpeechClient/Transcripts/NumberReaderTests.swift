import SpeechClient
import Testing

@Suite struct NumberReaderTests {
  private func words(_ text: String) -> String {
    WordNormalization.spoken.words(of: text).joined(separator: " ")
  }

  @Test(arguments: [
    // Cardinals.
    ("two hundred fifty", "250"), ("two hundred and fifty", "250"), ("twenty-one", "21"),
    ("a hundred and five", "105"), ("a thousand", "1000"), ("nineteen hundred", "1900"),
    ("two thousand and twenty four", "2024"), ("5 hundred", "500"), ("1,000,000", "1000000"),
    ("one million two hundred thousand and three", "1200003"), ("5 million", "5000000"),
    ("three hundred twelve thousand four hundred and nine", "312409"), ("zero", "0"),
    ("nine hundred ninety nine trillion", "999000000000000"), ("2 thousand 500", "2500"),
    // Decimals.
    ("three point one four", "3.14"), ("two point five million", "2500000"),
    ("2.5 million", "2500000"), ("1.2345 thousand", "1234.5"), ("0.5 thousand", "500"),
    ("zero point oh five", "0.05"), ("three point 14", "3.14"),
    // Ordinals and decades.
    ("first", "1st"), ("the twenty-first", "the 21st"), ("twelfth", "12th"), ("113th", "113th"),
    ("one hundred and thirteenth", "113th"), ("two hundredth", "200th"),
    ("thousandth", "thousandth"),
    ("five thousandth", "5000th"), ("second", "2nd"), ("nineties", "90s"),
    ("the nineteen eighties", "the 1980s"), ("the 1980s", "the 1980s"), ("ninetieth", "90th"),
    // Years, times, and numbers digit by digit.
    ("nineteen eighty-four", "1984"), ("twenty twenty four", "2024"), ("nineteen oh five", "1905"),
    ("ten thirty", "1030"), ("10:30", "1030"), ("nine one one", "911"), ("555-1212", "5551212"),
    ("five five five one two one two", "5551212"), ("007", "007"), ("oh oh seven", "oh oh 7"),
    // Money and percentages.
    ("$5", "5 dollar"), ("five dollars", "5 dollar"), ("a five-dollar bill", "a 5 dollar bill"),
    ("$2.50", "2 dollar 50 cent"), ("two dollars and fifty cents", "2 dollar 50 cent"),
    ("$0.05", "5 cent"), ("$3.00", "3 dollar"), ("$2.5 million", "2500000 dollar"),
    ("$1,000", "1000 dollar"), ("250 \u{20AC}", "250 euro"), ("\u{20AC}250", "250 euro"),
    ("two hundred fifty euros", "250 euro"), ("\u{A3}1 and 20 pence", "1 pound 20 cent"),
    ("two dollars and a cat", "2 dollar and a cat"), ("$", ""), ("$x", "x"),
    ("5%", "5 percent"), ("five per cent", "5 percent"), ("12.5 percent", "12.5 percent"),
    // Words that are not numbers, or that only end a number.
    ("and", "and"), ("a cat", "a cat"), ("hundred", "hundred"), ("point taken", "point taken"),
    ("ten and five", "10 and 5"), ("two thousand and we", "2000 and we"), ("oh no", "oh no"),
    ("ten oh well", "10 oh well"), ("three point", "3 point"), ("-3", "minus 3"), ("10-20", "1020"),
    ("two thousand three million", "20003000000"), ("month width", "month width"),
    ("1.2.3", "1.2.3"), ("123456789012345678901234567890", "123456789012345678901234567890"),
    ("1234567 thousand", "1234567 thousand"), ("r2d2", "r2d2"),
  ])
  func `numbers are written in digits`(text: String, expected: String) {
    #expect(words(text) == expected)
  }

  @Test(arguments: 0..<2000)
  func `a number in words is converted to the same number in digits`(seed: Int) {
    // The numbers have one to twelve digits.
    let number = (seed &* 7_919_777_123 &+ seed) % [10, 1000, 100_000, 1_000_000_000_000][seed % 4]
    #expect(words(spelled(number)) == String(number))
  }

  private func spelled(_ number: Int) -> String {
    let ones =
      "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
      + "sixteen seventeen eighteen nineteen"
    let tens = "- ten twenty thirty forty fifty sixty seventy eighty ninety".split(separator: " ")
    switch number {
    case ..<20: return String(ones.split(separator: " ")[number])
    case ..<100:
      return tens[number / 10] + (number % 10 == 0 ? "" : "-" + spelled(number % 10))
    case ..<1000:
      return spelled(number / 100) + " hundred"
        + (number % 100 == 0 ? "" : " and " + spelled(number % 100))
    default:
      let scales = [(1_000_000_000, "billion"), (1_000_000, "million"), (1000, "thousand")]
      let (size, name) = scales.first { number >= $0.0 } ?? (1000, "thousand")
      let rest = number % size
      return spelled(number / size) + " " + name
        + (rest == 0 ? "" : (rest < 100 ? " and " : " ") + spelled(rest))
    }
  }
}
