import SpeechClient
import TestTools
import Testing

struct TextRulesTests {
  private func text(_ text: String, _ rules: TextRules) -> String { rules.applied(to: text) }

  @Test(arguments: [
    // Single numbers.
    ("twenty five people", "25 people"), ("nine people", "nine people"), ("ten", "10"),
    ("Twenty-five. Thirty.", "25. 30."), ("twelve thousand five hundred", "12,500"),
    ("two thousand and twenty four", "2024"), ("one million", "1 million"),
    ("one million two hundred thousand", "1,200,000"), ("two and a half million", ""),
    ("three point one four", "3.14"), ("zero point five", "0.5"), ("twenty first", "21st"),
    ("one hundred and thirteenth", "113th"), ("the third", "the third"),
    // Money and percentages.
    ("five dollars", "$5"), ("one dollar", "$1"), ("five dollars and fifty cents", "$5.50"),
    ("five dollars five cents", "$5.05"), ("two point five million dollars", "$2.5 million"),
    ("twenty euros,", "\u{20AC}20,"), ("a five-dollar bill", "a $5 bill"),
    ("fifty cents", "50 cents"), ("five percent", "5%"), ("ten per cent.", "10%."),
    ("five pounds", "five pounds"), ("ten pounds", "10 pounds"),
    ("twenty five thousand dollars and fifty cents", "$25,000.50"),
    // Times.
    ("three thirty p m", "3:30 p.m."), ("three p m.", "3 p.m."), ("at three p.m.", "at 3 p.m."),
    ("three oh five a.m. today", "3:05 a.m. today"), ("eleven pm", "11 p.m."),
    ("ten o'clock", "10 o'clock"), ("three o'clock.", "3 o'clock."),
    ("thirteen thirty p m", "thirteen thirty p m"),
    // Years.
    ("nineteen ninety nine", "1999"), ("in twenty oh five", "in 2005"),
    ("the nineteen eighties", "the 1980s"), ("in twenty twenty five we", "in 2025 we"),
    ("from nineteen ninety to nineteen ninety five", "from 1990 to 1995"),
    ("eighteen hundred and twelve", "1812"),
    ("May twenty third nineteen eighty four", "May 23rd 1984"),
    ("on June second, twenty twenty", "on June 2nd, 2020"),
    ("the twentieth century", "the 20th century"),
    // Telephone numbers and codes.
    ("five five five one two one two", "5551212"), ("call nine one one", "call 911"),
    ("room seven oh seven", "room 707"),
    // Numbers whose meaning is uncertain.
    ("ten thirty", ""), ("one two three", ""), ("seven eight nine ten", ""), ("two thirds", ""),
    ("one twentieth", ""), ("a tenth of it", ""), ("a thirty second delay", ""),
    ("a hundred people", ""), ("half past ten", ""), ("no one", ""), ("twenty four seven", ""),
    ("between one hundred and two hundred", ""), ("a twenty-one-year-old", ""),
    ("fifteen twenty minutes", ""), ("in his twenties", ""), ("hundreds of people", ""),
    ("5 people", ""), ("at 10:30", ""),
  ])
  func `numbers are written as people write them`(text: String, expected: String) {
    #expect(self.text(text, TextRules()) == (expected.isEmpty ? text : expected))
  }

  @Test(arguments: [
    // The digits of the engine.
    "ages 18-24", "15-20 people", "the score was 20-17", "3-2-1 go", "bought at 7-11",
    "zip code 90210", "call 5551212", "order 2024567890", "007123", "10 dollars", "2.5 per cent",
    "5 hundred", "15 twenty",
    // Approximations, scores, and lists.
    "fifteen twenty people came", "twenty thirty times", "sixteen seventeen at most",
    "fifteen forty", "fifteen thirty", "twenty twenty vision", "the score was twenty seventeen",
    "in twenty thirty minutes", "of sixteen seventeen people", "ten, twenty, thirty",
    "ten or twenty", "ages eighteen to twenty four", "twenty first graders", "fifteen love",
    // Countdowns.
    "three two one go", "five four three two one", "two four six eight",
    "mic check one two one two", "a four four two formation", "one two two three",
    "nine eight seven six five four three two one", "one two one two one two one two",
    "seven oh seven", "nine one one",
    // Runs with an uncertain part.
    "between one hundred and one hundred fifty people", "between one hundred and two hundred fifty",
    "between one hundred and one thousand", "a couple hundred fifty",
    "a couple of hundred and fifty",
    "a few thousand five hundred", "hundred twenty", "ten and a half percent",
    "five euro cents", "fifty euro cents", "five dollars fifty", "five dollars twenty people",
    // Fractions and scales.
    "one hundredth of a second", "one thousandth of an inch", "one millionth", "ten twentieths",
    "the nineteen hundreds", "ten thousands", "a thirty second delay",
    // "Point" and "at".
    "at one point five people left", "at one point three of them", "at two fifty a share",
    "at one twenty per barrel", "at ten fifteen people left", "at ten thirty", "point twenty five",
    // Half of a telephone number.
    "five five five oh oh one two go", "dial one two oh oh",
    "oh two oh seven nine four six", "five five five one two one oh no",
    // One style in a phrase.
    "five to ten percent", "between five and ten dollars", "five or ten million dollars",
    "ten to three", "ten past three", "quarter to ten", "quarter to three p.m.",
  ])
  func `a run of numbers stays as it was recognized if it is uncertain`(text: String) {
    #expect(self.text(text, TextRules()) == text)
    #expect(self.text(text, TextRules(numbers: .digits)) == text)
  }

  @Test(arguments: [
    ("five people", "5 people"), ("zero", "0"), ("no one", "no one"), ("one dollar", "$1"),
    ("one two three", "one two three"), ("second", "second"),
  ])
  func `numbers below ten are written in digits if digits are requested`(
    text: String, expected: String
  ) {
    #expect(self.text(text, TextRules(numbers: .digits)) == expected)
  }

  @Test(arguments: [
    ("25 people", "twenty-five people"), ("$5", "five dollars"), ("$1.", "One dollar."),
    ("$5.50", "five dollars and fifty cents"), ("$2.5 million", "two point five million dollars"),
    ("5%", "five percent"), ("3.14", "three point one four"), ("10:30", "ten thirty"),
    ("3:05", "three oh five"), ("3:00", "3:00"), ("1999", "nineteen ninety-nine"),
    ("2005", "two thousand and five"), ("2025", "twenty twenty-five"), ("21st", "twenty-first"),
    ("20th", "twentieth"), ("12,500", "twelve thousand five hundred"),
    ("5551212", "five five five one two one two"), ("007", "zero zero seven"), ("r2d2", "r2d2"),
    ("10 people. 20 came.", "Ten people. Twenty came."), ("-3", "-3"), ("10-20", "10-20"),
    ("99999999999999999999999", "99999999999999999999999"), ("#5", "#5"), (".5", ".5"),
    ("call 911", "call nine one one"), ("90210", "90210"), ("x25", "x25"),
  ])
  func `numbers are written in words if words are requested`(text: String, expected: String) {
    #expect(self.text(text, TextRules(numbers: .words)) == expected)
  }

  @Test(arguments: [
    ("The colour of the theatre's catalogues", "The color of the theater's catalogs"),
    ("organised travelling", "organized traveling"),
    ("Colour-blind neighbours.", "Color-blind neighbors."),
    ("a grey tyre, analysed", "a gray tire, analyzed"), ("manoeuvred", "maneuvered"),
  ])
  func `spelling is converted between British and American`(british: String, american: String) {
    #expect(text(british, TextRules(spelling: .american)) == american)
    let back = text(american, TextRules(spelling: .british))
    // A tire may also be a verb.
    #expect(back.replacing("tire", with: "tyre") == british)
  }

  @Test(arguments: TextRules.Spelling.allCases)
  func `words that only look like the other spelling do not change`(spelling: TextRules.Spelling) {
    let words = """
      four hour tour our wise water advise promise raise rise noise surprise advertise exercise sunrise \
      concise precise otherwise size prize seize capsize downsized laboratory honorary humorous vigorous \
      elaborate Colorado moment check program tire curb parking-meter whilst towards dialogue judgment \
      learned number order under metric central organ promising paradise bruise cruise chemise analyses \
      paralyses practises practices metropolises pelvises mantises trellises highrise kingsize lifesize \
      bitesized rightsized meter archaeology
      """
    #expect(text(words, TextRules(spelling: spelling)) == words)
    // A capital within a sentence marks a name, and Gray also begins one.
    let name = "Gray saw the Lincoln Center and Pearl Harbour"
    #expect(text(name, TextRules(spelling: spelling)) == name)
  }

  @Test
  func `meters become metres after a number only`() {
    let rules = TextRules(numbers: .asRecognized, spelling: .british)
    #expect(text("ten meters, 5 meters, gas meters", rules) == "ten metres, 5 metres, gas meters")
    #expect(text("two kilometers", rules) == "two kilometres")
    let device = "the second meter, ten parking-meters, the 2-meter mark, one meter"
    #expect(text(device, rules) == device)
  }

  @Test(arguments: [
    ("hello comma how are you question mark", "hello, how are you?"),
    ("hello period how are you", "hello. How are you"), ("Hello, comma.", "Hello,"),
    ("first new line second new paragraph third", "first\nSecond\n\nThird"),
    ("one full stop new line two", "one.\nTwo"), ("question marks", "question marks"),
    ("during that period of time", ""), ("colon cancer", ""), ("the Oxford comma is", ""),
    ("a full stop to it", ""), ("(hello) comma", "(hello),"), ("said \"no\" comma", "said \"no\","),
  ])
  func `spoken marks are written as marks`(text: String, expected: String) {
    let rules = TextRules(writesSpokenPunctuation: true, numbers: .asRecognized)
    #expect(self.text(text, rules) == (expected.isEmpty ? text : expected))
    #expect(self.text(text, TextRules(numbers: .asRecognized)) == text)
  }

  @Test
  func `rules for English leave other languages alone`() {
    var rules = TextRules(
      language: "de-DE", writesSpokenPunctuation: true, numbers: .digits, spelling: .british)
    #expect(text("color comma five", rules) == "color comma five")
    rules.replace("color", with: "Farbe")
    #expect(text("color comma five", rules) == "Farbe comma five")
    (rules.language, rules.spelling) = ("en_US", nil)
    #expect(text("color comma five", rules) == "Farbe, 5")
  }

  @Test
  func `phrases are replaced without regard to case and punctuation, the longest first`() {
    var rules = TextRules(numbers: .asRecognized)
    rules.replace("new york", with: "NY")
    rules.replace("New York City", with: "NYC")
    rules.replace("um", with: "")
    rules.replace("acme", with: "Acme Corporation")
    rules.replace("hi", with: "hello")
    #expect(text("(New York), um new york city!", rules) == "(NY), NYC!")
    #expect(text("Hi acme, hi. Hi", rules) == "Hello Acme Corporation, hello. Hello")
    #expect(text("newyork summer", rules) == "newyork summer")
  }

  @Test
  func `the end of a sentence and its capital survive a removed phrase`() {
    var rules = TextRules(numbers: .asRecognized)
    rules.replace("um", with: "")
    #expect(text("I think so, um. Then", rules) == "I think so. Then")
    #expect(text("Um, we go. Um yes um, no", rules) == "We go. Yes no")
    var word = TranscriptionSegment(substring: "so", timestamp: .zero, duration: .seconds(1))
    word.alternativeSubstrings = ["um", "sow"]
    let result = Transcription(segments: [word]).applying(rules)
    #expect(result.segments[0].alternativeSubstrings == ["sow"])
  }

  @Test
  func `stable words before and after a settled number stay stable`() {
    let text = SpeechRecognitionResult("we saw twenty five people in the old park", isFinal: true)
    func stableText(_ count: Int) -> String {
      SpeechRecognitionResult(
        utterance: 0, bestTranscription: text.bestTranscription, isFinal: false,
        stableSegmentCount: count
      ).applying(TextRules()).stablePrefix.formattedString
    }
    #expect(stableText(7) == "we saw")
    #expect(stableText(8) == "we saw 25 people in the old")
  }

  @Test
  func `masked words keep their first letter`() {
    var rules = TextRules(numbers: .asRecognized)
    rules.mask("Darn")
    #expect(text("Darn! the \"darn\" darning", rules) == "D***! the \"d***\" darning")
  }

  @Test
  func `a file of rules is read with comments and both arrows`() throws {
    var rules = TextRules(numbers: .asRecognized)
    try rules.addReplacements(
      parsing: "# names\n\n  syrings => Syrinx \r\nc sharp \u{2192} C#\num \u{2192}\n")
    #expect(text("um syrings c sharp", rules) == "Syrinx C#")
    try rules.addMasks(parsing: "# words\ndarn\n\n heck \n")
    #expect(text("darn heck", rules) == "d*** h***")
  }

  @Test(arguments: [
    ("a => b\n  c d\n", 2, 6, "no \u{2192}"), (" => b", 1, 2, "no text before"),
    ("a => b => c", 1, 8, "second arrow"), ("a \u{2192} b => c", 1, 7, "second arrow"),
  ])
  func `a line that is not a rule is an error with its line and column`(
    text: String, line: Int, column: Int, reason: String
  ) {
    var rules = TextRules()
    let error = #expect(throws: TextRulesError.self) { try rules.addReplacements(parsing: text) }
    #expect(error?.line == line && error?.column == column)
    #expect(error?.reason.contains(reason) == true)
  }

  @Test
  func `a line with two words to mask is an error with its line and column`() {
    var rules = TextRules()
    let error = #expect(throws: TextRulesError.self) { try rules.addMasks(parsing: "a\n b c") }
    #expect(error.map { "\($0)" } == "line 2, column 4: the line has a second word")
  }

  @Test
  func `a word made of several words spans their times and has the lowest confidence`() {
    let words = ["for", "twenty", "five", "dollars", "now"].enumerated().map { index, word in
      TranscriptionSegment(
        substring: word, timestamp: .seconds(index), duration: .milliseconds(800),
        confidence: 1 - Double(index) / 10, alternativeSubstrings: ["color five"])
    }
    let result = Transcription(segments: words).applying(TextRules(spelling: .british)).segments
    #expect(result.map(\.substring) == ["for", "$25", "now"])
    #expect(result[1].timestamp == .seconds(1) && result[1].duration == .milliseconds(2_800))
    #expect(result[1].confidence == 0.7)
    #expect(result[0].alternativeSubstrings == ["colour five"])
    #expect(result[1].alternativeSubstrings.isEmpty)
  }

  @Test
  func `alternatives that the rules make equal are removed`() {
    let best = SpeechRecognitionResult("twenty five", isFinal: true).bestTranscription
    let others = ["25", "twenty nine", "29"].map {
      SpeechRecognitionResult($0, isFinal: true).bestTranscription
    }
    let result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: best, alternatives: others, isFinal: true)
    #expect(
      result.applying(TextRules()).transcriptions.map(\.formattedString) == ["25", "29"])
    #expect(result.applying(.none) == result)
  }
}

/// Checks rules on random texts.
struct TextRulesPropertyTests {
  private static let vocabulary = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen nineteen twenty thirty \
    ninety hundred thousand million billion and a an point oh o first second third tenth twentieth \
    nineties dollars dollar cents euros pounds percent per cent p m a.m. pm at past half until 5 10 250 \
    1999 3.5 $5 10:30 5% colour theater organise new line comma question mark york city darn um the cat
    """.split(separator: " ").map(String.init)

  private func words(
    _ count: Int, _ numbers: inout SeededNumbers, punctuated: Bool = true
  ) -> [TranscriptionSegment] {
    var time = Duration.zero
    return (0..<count).map { _ in
      let word = Self.vocabulary.randomElement(using: &numbers) ?? "a"
      let mark = punctuated ? Int.random(in: 0...19, using: &numbers) : 9
      time += .milliseconds(Int.random(in: 0...300, using: &numbers))
      defer { time += .milliseconds(200) }
      return TranscriptionSegment(
        substring: word + (mark == 0 ? "." : mark == 1 ? "," : ""), timestamp: time,
        duration: .milliseconds(200), confidence: Double.random(in: 0...1, using: &numbers))
    }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `rules for numbers and spelling change no word that is compared for a word error rate`(
    seed: UInt64
  ) {
    var numbers = SeededNumbers(seed: seed)
    let old = Transcription(segments: words(12, &numbers))
    for style in TextRules.Numbers.allCases {
      for spelling in [nil] + TextRules.Spelling.allCases.map(Optional.some) {
        let new = old.applying(TextRules(numbers: style, spelling: spelling))
        #expect(
          WordNormalization.spoken.words(of: new.formattedString)
            == WordNormalization.spoken.words(of: old.formattedString),
          "\(old.formattedString) -> \(new.formattedString)")
      }
    }
  }

  /// Returns the values of number words as digits, each number after the other; other words stay.
  private func spokenValues(of words: [String]) -> [String] {
    let names = """
      zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
      seventeen eighteen nineteen
      """.split(separator: " ").map(String.init)
    let tens = ["twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "ninety": 90]
    var values: [String] = []
    var number: (total: Int, group: Int, room: Int)?
    for word in words + ["."] {
      let value = names.firstIndex(of: word) ?? tens[word]
      let (total, group, room) = number ?? (0, 0, 1)
      switch word {
      case "hundred" where number != nil: number = (total, group * 100, 100)
      case "thousand" where number != nil: number = (total + group * 1_000, 0, 1_000)
      case "and" where room >= 100: break
      case _ where number != nil && value.map { $0 > 0 && $0 < room } == true:
        number = (total, group + (value ?? 0), (value ?? 0) < 20 ? 1 : 10)
      default:
        if number != nil { values.append("\(total + group)") }
        number = value.map { (0, $0, $0 < 20 ? 1 : 10) }
        if value == nil, word == "oh" { values.append("0") }
      }
    }
    return values
  }

  @Test(arguments: 0..<2_000 as Range<UInt64>)
  func `each changed number has the values that were spoken, and no other word changes`(
    seed: UInt64
  ) {
    let vocabulary = """
      zero one two three four five six seven eight nine ten eleven twelve fifteen sixteen nineteen twenty \
      thirty forty fifty ninety hundred thousand and oh in at by from to or a point of dollars cents percent \
      pm p m people cats minutes the call room between half past 15-20 90210 7 10:30
      """.split(separator: " ").map(String.init)
    var numbers = SeededNumbers(seed: seed)
    let old = (0..<14).map { _ in vocabulary.randomElement(using: &numbers) ?? "a" }
    let text = SpeechRecognitionResult(old.joined(separator: " "), isFinal: true).bestTranscription
    let segments = old.enumerated().map {
      TranscriptionSegment(substring: $1, timestamp: .seconds($0), duration: .seconds(1))
    }
    for style in [TextRules.Numbers.usual, .digits] {
      let new = Transcription(segments: segments).applying(TextRules(numbers: style)).segments
      var place = 0
      for word in new {
        // A time has two words, such as "3:30 p.m.", which share the time of their words.
        guard !["a.m.", "p.m."].contains(word.substring) else { continue }
        let isTime = new.contains {
          $0.timestamp == word.timestamp + word.duration && $0.substring == "p.m."
        }
        place = Int(word.timestamp / .seconds(1))
        var end = Int((word.timestamp + word.duration) / .seconds(1))
        if isTime { end = (old[place...].firstIndex { $0.hasPrefix("p") } ?? end) }
        let spoken = old[place..<max(place + 1, end)]
        guard spoken != [word.substring] else { continue }
        let digits = word.substring.filter(\.isNumber)
        let isDecimal = spoken.contains("point")
        let values = spokenValues(of: Array(spoken)).joined()
        #expect(
          !digits.isEmpty
            && (isDecimal || digits.filter { $0 != "0" } == values.filter { $0 != "0" }),
          "\(text.formattedString): \(word.substring)")
      }
    }
  }

  private var allRules: TextRules {
    var rules = TextRules(writesSpokenPunctuation: true, spelling: .american)
    rules.replace("new york city", with: "NYC")
    rules.replace("new york", with: "New York")
    rules.replace("the cat", with: "Tom")
    rules.replace("um", with: "")
    rules.replace("percent", with: "parts of it")
    rules.mask("darn")
    return rules
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `words keep their order and times, and share them when they are joined or divided`(
    seed: UInt64
  ) {
    var numbers = SeededNumbers(seed: seed)
    let old = words(12, &numbers)
    let new = Transcription(segments: old).applying(allRules).segments
    for (word, next) in zip(new, new.dropFirst()) {
      #expect(word.timestamp + word.duration <= next.timestamp)
    }
    for word in new {
      let end = word.timestamp + word.duration
      let parts = old.filter { $0.timestamp < end && word.timestamp < $0.timestamp + $0.duration }
      let lowest = parts.compactMap(\.confidence).min() ?? 1
      #expect(word.confidence.map { $0 <= lowest } == true)
    }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `rules alone never contradict a stable word`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let whole = words(10, &numbers, punctuated: false)
    let final = SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: whole), isFinal: true
    ).applying(allRules)
    for count in 0...whole.count {
      // The engine changes the words after the stable ones.
      let tail = self.words(Int.random(in: 0...4, using: &numbers), &numbers)
      let partial = SpeechRecognitionResult(
        utterance: 0, bestTranscription: Transcription(segments: whole.prefix(count) + tail),
        isFinal: false, stableSegmentCount: count
      ).applying(allRules)
      let stable = partial.stablePrefix.formattedString
      #expect(final.bestTranscription.formattedString.hasPrefix(stable))
    }
  }
}
