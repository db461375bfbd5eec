import AudioCore
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

@Suite struct UtteranceResultsTests {
  private let hypothesis = SpeechHypothesis(words: [
    SpeechHypothesis.Word("go", frames: 1600..<4800, confidence: 0.5)
  ])

  @Test func `times are counted from the beginning of the stream`() {
    var results = UtteranceResults()
    results.begin(at: 32_000)
    let segment = results.final(hypothesis, processed: 16_000, plausibility: nil)?.bestTranscription
      .segments.first
    #expect(
      segment
        == TranscriptionSegment(
          substring: "go", timestamp: .milliseconds(2100), duration: .milliseconds(200),
          confidence: 0.5))
  }

  @Test func `utterances without words have no result and no number`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    #expect(results.final(SpeechHypothesis(), processed: 16_000, plausibility: nil) == nil)
    results.begin(at: 16_000)
    #expect(results.final(hypothesis, processed: 16_000, plausibility: nil)?.utterance == 0)
    results.begin(at: 32_000)
    #expect(results.final(hypothesis, processed: 16_000, plausibility: nil)?.utterance == 1)
  }

  @Test func `if an utterance with partial results was noise, its number is not reused`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let partial = results.partial(hypothesis, processed: 16_000, plausibility: nil)
    #expect(partial?.utterance == 0)
    #expect(results.final(SpeechHypothesis(), processed: 16_000, plausibility: nil) == nil)
    results.begin(at: 16_000)
    #expect(results.final(hypothesis, processed: 16_000, plausibility: nil)?.utterance == 1)
  }

  @Test func `a short word of low confidence is removed, and its range is reported`() {
    let plausibility = Plausibility(isVoiced: true, sound: 16_000)
    func outcome(
      _ confidence: Double?, frames: Range<FrameCount> = 4800..<5600, isEstimated: Bool = false
    ) -> (text: String?, omitted: [Range<Duration>]) {
      var hypothesis = SpeechHypothesis(
        words: hypothesis.words + [.init("eight", frames: frames, confidence: confidence)],
        alternatives: [[.init("ate", frames: frames, confidence: confidence)] + hypothesis.words])
      hypothesis.hasEstimatedTimes = isEstimated
      var results = UtteranceResults()
      results.begin(at: 16_000)
      let final = results.final(hypothesis, processed: 16_000, plausibility: plausibility)
      return (final?.transcriptions.map(\.formattedString).joined(separator: "/"), results.omitted)
    }
    #expect(outcome(0.24) == ("go", [.milliseconds(1300) ..< .milliseconds(1350)]))
    #expect(outcome(0.9) == ("go eight/ate go", []))
    #expect(outcome(nil) == ("go eight/ate go", []))
    #expect(outcome(0.24, frames: 4800..<6400) == ("go eight/ate go", []))
    #expect(outcome(0.24, isEstimated: true) == ("go eight/ate go", []))
  }

  @Test func `only probable words of a long improbable text are kept`() {
    func outcome(_ count: Int, _ probability: Double) -> (text: String?, omitted: [Range<Duration>])
    {
      let words = (0..<count).map { index in
        let begin = FrameCount(index * 1600)
        return SpeechHypothesis.Word(
          "\(index)", frames: begin..<(begin + 1600), confidence: index == 1 ? 0.2 : 0.8)
      }
      var hypothesis = SpeechHypothesis(words: words)
      hypothesis.probability = probability
      var results = UtteranceResults()
      results.begin(at: 0)
      let plausibility = Plausibility(isVoiced: true, sound: 16_000, certainty: 0.99)
      let final = results.final(hypothesis, processed: 16_000, plausibility: plausibility)
      return (final?.bestTranscription.formattedString, results.omitted)
    }
    #expect(outcome(4, 0.3) == ("0 2 3", [.milliseconds(100) ..< .milliseconds(200)]))
    #expect(outcome(4, 0.4) == ("0 1 2 3", []))
    #expect(outcome(3, 0.3) == ("0 1 2", []))
  }

  @Test func `an utterance has no result if its only word is too short`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let word = SpeechHypothesis.Word("eight", frames: 0..<800, confidence: 0.24)
    let plausibility = Plausibility(isVoiced: true, sound: 1600)
    let final = results.final(
      SpeechHypothesis(words: [word]), processed: 1600, plausibility: plausibility)
    #expect(final == nil && results.omitted.isEmpty)
  }

  @Test func `a partial result is reported when words change, and has no confidence`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let partials = (0..<3).compactMap { _ in
      results.partial(hypothesis, processed: 16_000, plausibility: nil)
    }
    #expect(partials.count == 1)
    #expect(partials.first?.bestTranscription.segments.first?.confidence == nil)
    #expect(partials.first?.volatileTail.formattedString == "go")
  }

  /// Returns an utterance with sounds of a second at 0, 3, and 6 s.
  ///
  /// The engine gets only these three seconds.
  private func joined() -> Utterance {
    var utterance = Utterance(start: 0, sound: 0, pause: .milliseconds(600))
    let starts: [FrameCount] = [0, 48_000, 96_000]
    for start in starts {
      if start > 0 { utterance.resume(at: start, sound: start) }
      utterance.add([Float](repeating: 0, count: 16_000))
      utterance.endSound(after: 0, certainty: 0.99)
    }
    return utterance
  }

  /// Two words: one in the first sound of `joined()`, and one in the third.
  private let twoWords = SpeechHypothesis(words: [
    SpeechHypothesis.Word("go", frames: 1600..<8000),
    SpeechHypothesis.Word("on", frames: 33_600..<40_000),
  ])

  @Test
  func `in a joined utterance, each sound with words gets a result, and other sounds are dropped`()
  {
    var results = UtteranceResults()
    results.begin(at: 0)
    let events = results.events(of: joined(), twoWords)
    let others = events.map { event -> SpeechRecognitionEvent? in
      if case .result = event { nil } else { event }
    }
    let expected: [SpeechRecognitionEvent?] = [
      nil, .speechEnded(at: .milliseconds(500)), .speechStarted(at: .seconds(3)),
      .dropped(.seconds(3) ..< .seconds(4), reason: .unintelligible), .speechEnded(at: .seconds(4)),
      .speechStarted(at: .milliseconds(6100)), nil,
    ]
    #expect(others == expected)
    var texts: [String] = []
    for case .result(let result) in events {
      texts.append("\(result.utterance) \(result.bestTranscription.formattedString)")
    }
    #expect(texts == ["0 go", "1 on"])
  }

  /// The four sounds are a second long and three seconds apart; a letter stands for a sound with a
  /// word, and `.` for a sound without words.
  ///
  /// In the events, `s` is the start and `e` the end of an utterance, `r` is a result, and `d` is a
  /// dropped range.
  @Test(arguments: [
    ("ab..", "resresdesd"), (".a.b", "desresdesr"), ("..ab", "desdesresr"),
    ("a..b", "resdesdesr"), ("...a", "desdesdesr"), ("a...", "resdesdesd"), ("abcd", "resresresr"),
  ])
  func `joined sounds without words count as utterances, in the order of the audio`(
    places: String, expected: String
  ) {
    var utterance = Utterance(start: 0, sound: 0, pause: .milliseconds(600))
    for number in 0..<4 {
      let start = FrameCount(number * 48_000)
      if number > 0 { utterance.resume(at: start, sound: start) }
      utterance.add([Float](repeating: 0, count: 16_000))
      utterance.endSound(after: 0, certainty: 0.99)
    }
    let words = places.enumerated().filter { $0.element != "." }.map { number, text in
      let begin = FrameCount(number * 16_000 + 3200)
      return SpeechHypothesis.Word(String(text), frames: begin..<begin + 9600)
    }
    var results = UtteranceResults()
    results.begin(at: 0)
    var estimated = SpeechHypothesis(words: words)
    estimated.hasEstimatedTimes = true
    let partial = results.partial(of: utterance, estimated)
    let events = results.events(of: utterance, SpeechHypothesis(words: words))
    var (kinds, times, numbers): (String, [Duration], [Int]) = ("", [], [])
    for event in events {
      switch event {
      case .speechStarted(let time): (kinds, times) = (kinds + "s", times + [time])
      case .speechEnded(let time): (kinds, times) = (kinds + "e", times + [time])
      case .dropped(let range, _):
        (kinds, times) = (kinds + "d", times + [range.lowerBound, range.upperBound])
      case .result(let result): (kinds, numbers) = (kinds + "r", numbers + [result.utterance])
      default: Issue.record("\(event) is not expected")
      }
    }
    #expect(kinds == expected)
    #expect(times == times.sorted())
    // The first final result has the number of the partial result.
    #expect(partial?.utterance == 0 && numbers == Array(0..<words.count))
  }

  @Test
  func `words before the first sound get their own result, and sounds without words are dropped`() {
    var results = UtteranceResults()
    var utterance = Utterance(start: 0, sound: 16_000, pause: .milliseconds(600))
    utterance.add([Float](repeating: 0, count: 32_000))
    utterance.endSound(after: 0, certainty: 0.99)
    utterance.resume(at: 64_000, sound: 64_000)
    utterance.add([Float](repeating: 0, count: 16_000))
    utterance.endSound(after: 0, certainty: 0.99)
    results.begin(at: 0)
    let hypothesis = SpeechHypothesis(words: [SpeechHypothesis.Word("oh", frames: 0..<1600)])
    let events = results.events(of: utterance, hypothesis).dropFirst()
    let expected: [SpeechRecognitionEvent] = [
      .speechEnded(at: .seconds(1)), .speechStarted(at: .seconds(1)),
      .dropped(.seconds(1) ..< .seconds(2), reason: .unintelligible),
      .speechEnded(at: .seconds(2)), .speechStarted(at: .seconds(4)),
      .dropped(.seconds(4) ..< .seconds(5), reason: .unintelligible),
    ]
    #expect(Array(events) == expected)
  }

  @Test func `a partial result of joined speech contains only the words of the first part`() {
    var results = UtteranceResults(hasStableWords: false)
    results.begin(at: 0)
    let partial = results.partial(of: joined(), twoWords)
    #expect(partial?.bestTranscription.formattedString == "go")
    #expect(results.partial(of: joined(), twoWords) == nil)
  }

  @Test func `an utterance without words is dropped, unless only key phrases are recognized`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let lost = SpeechRecognitionEvent.dropped(.zero ..< .seconds(7), reason: .unintelligible)
    #expect(results.events(of: joined(), SpeechHypothesis()) == [lost])
    var spotted = UtteranceResults(spotsPhrases: true)
    spotted.begin(at: 0)
    #expect(spotted.events(of: joined(), SpeechHypothesis()).isEmpty)
  }

  @Test func `noise has no result`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let noise = Plausibility(isVoiced: false, sound: 16_000_000)
    #expect(results.final(hypothesis, processed: 16_000, plausibility: noise) == nil)
  }

  /// Returns the number of stable words after a second of unchanged partial hypotheses, and the
  /// final result.
  ///
  /// Only the words of the final hypothesis have a confidence.
  private func outcome(
    of words: [String], with plausibility: Plausibility, confidence: Double = 0.001
  ) -> (stable: Int, final: SpeechRecognitionResult?) {
    func hypothesis(sureness: Double?) -> SpeechHypothesis {
      SpeechHypothesis(
        words: words.enumerated().map { index, word in
          SpeechHypothesis.Word(
            word, frames: FrameCount(index * 1600)..<FrameCount((index + 1) * 1600),
            confidence: sureness)
        })
    }
    var results = UtteranceResults()
    results.begin(at: 0)
    var stable = 0
    for processed in stride(from: 8000, to: 24_000, by: 1600) {
      let partial = results.partial(
        hypothesis(sureness: nil), processed: FrameCount(processed), plausibility: plausibility)
      stable = partial?.stableSegmentCount ?? stable
    }
    return (
      stable,
      results.final(hypothesis(sureness: confidence), processed: 24_000, plausibility: plausibility)
    )
  }

  /// The three words last 300 ms together, which is plausible for at most 7.5 s of sound.
  @Test(arguments: [
    Plausibility(isVoiced: false, sound: 24_000), Plausibility(isVoiced: true, sound: 120_001),
  ])
  func `words recognized in noise become neither stable nor final`(
    noise: Plausibility
  ) {
    let (stable, final) = outcome(of: ["the", "a", "the"], with: noise)
    #expect(stable == 0)
    #expect(final == nil)
  }

  @Test func `the final confidence determines whether a word is kept, even if the word was stable`()
  {
    let voice = Plausibility(isVoiced: true, sound: 120_000)
    let (stable, final) = outcome(of: ["the", "a", "the"], with: voice)
    #expect(stable == 2)
    #expect(final == nil)
    let sure = outcome(of: ["the", "a", "the"], with: voice, confidence: 0.5).final
    #expect(sure?.bestTranscription.formattedString == "the a the")
  }

  @Test func `the number of a lost utterance is not reused`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let partial = results.partial(hypothesis, processed: 16_000, plausibility: nil)
    #expect(partial?.utterance == 0)
    results.lose()
    // This utterance had no partial results.
    results.begin(at: 16_000)
    results.lose()
    results.begin(at: 32_000)
    #expect(results.final(hypothesis, processed: 16_000, plausibility: nil)?.utterance == 1)
  }

  @Test func `no word extends into the padding after the utterance`() {
    var results = UtteranceResults()
    results.begin(at: 16_000)
    let words = [
      SpeechHypothesis.Word("go", frames: 0..<4000),
      SpeechHypothesis.Word("on", frames: 4000..<9000),
    ]
    let segments = results.final(
      SpeechHypothesis(words: words), processed: 8000, plausibility: nil)?
      .bestTranscription
      .segments
    #expect(segments?.last.map { $0.timestamp + $0.duration } == .milliseconds(1500))
  }

  /// Returns the words of a text, one after the other, each 0.2 s long.
  private func words(_ text: String) -> [SpeechHypothesis.Word] {
    text.split(separator: " ").enumerated().map { index, text in
      SpeechHypothesis.Word(
        String(text), frames: FrameCount(index * 3200)..<FrameCount((index + 1) * 3200))
    }
  }

  @Test(arguments: [
    ("go forward", ["go for word", "no forward"], [["no"], ["for word"]]),
    ("isn't it", ["Isn't it?", "is it", "isn't the bit"], [["is"], ["the bit"]]),
    ("a b", ["a", "a c b", "x y b"], [["x y"], []]),
    ("a b c", ["c", "x c"], [[], ["x"], []]),
  ])
  func `each word of a final result has the different words of other texts as alternatives`(
    best: String, readings: [String], expected: [[String]]
  ) {
    var results = UtteranceResults()
    results.begin(at: 0)
    // The positions of the words do not matter.
    let elsewhere = readings.map { words("and so " + $0).suffix($0.split(separator: " ").count) }
    let result = results.final(
      SpeechHypothesis(words: words(best), alternatives: elsewhere.map(Array.init)),
      processed: 32_000,
      plausibility: nil)
    let different = readings.filter { $0.lowercased() != best + "?" }
    #expect(result?.transcriptions.map(\.formattedString) == [best] + different)
    #expect(result?.bestTranscription.segments.map(\.alternativeSubstrings) == expected)
  }

  @Test
  func `the text of a final result is the engine's, even if partial results had stable words`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    for processed in [FrameCount(48_000), 56_000] {
      let partial = results.partial(
        SpeechHypothesis(words: words("isn't it 250 euro")), processed: processed, plausibility: nil
      )
      #expect(partial?.stableSegmentCount == (processed == 48_000 ? 0 : 2))
    }
    let final = results.final(
      SpeechHypothesis(words: words("Isn't it? 250 euros.")), processed: 60_000, plausibility: nil)
    #expect(final?.bestTranscription.formattedString == "Isn't it? 250 euros.")
  }

  @Test(arguments: [
    ("e-mail", "email"), ("\u{201C}Yes!\u{201D}", "yes"), ("caf\u{E9}", "Cafe\u{301}."),
    ("...", "..."),
  ])
  func `words that differ in case, hyphens, or outer punctuation are equal`(
    one: String, other: String
  ) {
    #expect(one.wordKey == other.wordKey)
  }

  @Test(arguments: [
    ("we're", "were"), ("2.5", "25"), ("$5", "5"), ("-", "..."), ("250", "two"), ("c++", "c"),
  ])
  func `words that differ in letters, digits, or inner punctuation are different`(
    one: String, other: String
  ) {
    #expect(one.wordKey != other.wordKey)
  }

  @Test func `a partial result is reported again if only its spelling changes`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let texts = ["go on", "go on", "Go on.", "go on"].compactMap { text in
      results.partial(SpeechHypothesis(words: words(text)), processed: 8000, plausibility: nil)?
        .bestTranscription.formattedString
    }
    #expect(texts == ["go on", "Go on.", "go on"])
  }

  @Test
  func `if times are estimated, the result reports it, and words repeated after a cut are kept`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let first = results.final(
      SpeechHypothesis(words: words("one two")), processed: 16_000, plausibility: nil)
    #expect(first?.bestTranscription.hasEstimatedTimes == false)
    // The previous utterance was cut, so this utterance begins with that utterance's last word.
    var guess = SpeechHypothesis(words: words("two three"), alternatives: [words("to three")])
    results.begin(at: 3200)
    #expect(
      results.partial(guess, processed: 16_000, plausibility: nil)?.bestTranscription
        .formattedString
        == "three")
    guess.hasEstimatedTimes = true
    let partial = results.partial(guess, processed: 16_000, plausibility: nil)
    #expect(partial?.bestTranscription.hasEstimatedTimes == true)
    #expect(partial?.stablePrefix.hasEstimatedTimes == true)
    let final = results.final(guess, processed: 16_000, plausibility: nil)
    #expect(final?.transcriptions.map(\.hasEstimatedTimes) == [true, true])
    #expect(final?.bestTranscription.formattedString == "two three")
  }
}
