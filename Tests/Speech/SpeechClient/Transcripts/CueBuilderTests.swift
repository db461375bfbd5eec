import SpeechClient
import Testing

struct CueBuilderTests {
  /// Returns words of equal length; `pauses` contains the pauses, by the index of the next word.
  private func utterance(
    _ text: String, from start: Duration = .zero, word: Duration = .milliseconds(300),
    pauses: [Int: Duration] = [:]
  ) -> Transcription {
    var time = start
    let segments = text.split(separator: " ").enumerated().map { index, text in
      time += pauses[index] ?? .zero
      defer { time += word }
      return TranscriptionSegment(substring: String(text), timestamp: time, duration: word)
    }
    return Transcription(segments: segments)
  }

  private func cues(
    _ utterances: Transcription..., policy: CuePolicy = CuePolicy()
  ) -> [Cue] {
    var builder = CueBuilder(policy: policy)
    let cues = utterances.flatMap { builder.add($0) }
    return cues + builder.flush()
  }

  @Test
  func `a short utterance becomes one cue with one line, shown for the duration of its words`() {
    let words = utterance("go forward ten meters", from: .seconds(2))
    #expect(
      cues(words) == [
        Cue(
          start: .seconds(2), end: .milliseconds(3_200), lines: ["go forward ten meters"],
          words: words.segments)
      ])
  }

  @Test
  func `the two lines of a cue have about the same length`() {
    let text = "the quick brown fox jumps over the lazy dog again"
    #expect(
      cues(utterance(text)).map(\.lines) == [
        ["the quick brown fox jumps", "over the lazy dog again"]
      ])
  }

  @Test func `the first line has room for the name of the speaker`() {
    var builder = CueBuilder()
    let words = utterance("the quick brown fox jumps over the")
    let cues = builder.add(words, speaker: "the caller") + builder.flush()
    #expect(cues.map(\.lines) == [["the quick", "brown fox jumps over the"]])
    #expect(cues.map(\.speaker) == ["the caller"])
  }

  @Test
  func `a pause ends a cue even if the next word fits`() {
    let cues = cues(utterance("one two three four", pauses: [2: .milliseconds(700)]))
    #expect(cues.map(\.lines) == [["one two"], ["three four"]])
    #expect(self.cues(utterance("one two", pauses: [1: .milliseconds(699)])).count == 1)
  }

  @Test(arguments: [
    ("Go on. Stop now!", ["Go on.", "Stop now!"]),
    ("Isn't it? 250 euros.", ["Isn't it?", "250 euros."]),
    (
      "He said \u{201C}Go.\u{201D} We went\u{2026} Then home",
      ["He said \u{201C}Go.\u{201D}", "We went\u{2026}", "Then home"]
    ),
    (
      "Ask Mr. Smith or J. Doe in the U.S. Army. Go",
      ["Ask Mr. Smith or J. Doe in the U.S. Army.", "Go"]
    ),
    ("Well... maybe not e.g. this", ["Well... maybe not e.g. this"]),
    ("So am I. You too. ... And", ["So am I.", "You too.", "...", "And"]),
    (
      "\u{597D}\u{3002} \u{6211}\u{53BB} \u{FF01}",
      ["\u{597D}\u{3002}", "\u{6211}\u{53BB}\u{FF01}"]
    ),
    ("version 3.5 is out", ["version 3.5 is out"]),
  ])
  func `a sentence ends a cue even if the next word fits`(text: String, expected: [String]) {
    #expect(cues(utterance(text)).map { $0.lines.joined(separator: "|") } == expected)
  }

  @Test
  func `cue lines of a script without spaces contain no spaces`() {
    let words = (0..<50).map { _ in "\u{6F22}\u{5B57}" }.joined(separator: " ")
    let cue = cues(utterance(words, word: .milliseconds(50))).first
    #expect(
      cue?.lines == [
        String(repeating: "\u{6F22}\u{5B57}", count: 10),
        String(repeating: "\u{6F22}\u{5B57}", count: 10),
      ])
    #expect(
      CueFormat.tsv.text(
        of: Cue(start: .zero, end: .zero, lines: ["\u{6F22}", "\u{5B57}"]), number: 1)
        == "0\t0\t\u{6F22}\u{5B57}")
  }

  @Test
  func `a long cue is cut at the longest silence in its second half`() {
    let text = (0..<10).map { _ in "elevenchars" }.joined(separator: " ")
    let cut = cues(utterance(text, pauses: [1: .milliseconds(600), 4: .milliseconds(200)]))
    #expect(cut.first?.lines.joined(separator: " ").split(separator: " ").count == 4)
  }

  @Test
  func `no cue exceeds its limits of characters, lines, and time, and no word is lost`() {
    let text = (1...200).map { String(repeating: "x", count: $0 * 7 % 11 + 1) }
    let words = text.joined(separator: " ")
    let cues = cues(utterance(words, word: .milliseconds(450)))
    for cue in cues {
      #expect(cue.lines.count <= 2 && cue.lines.allSatisfy { $0.count <= 42 })
      #expect(cue.end - cue.start <= .seconds(7))
    }
    #expect(cues.flatMap(\.lines).joined(separator: " ") == words)
    for (one, next) in zip(cues, cues.dropFirst()) { #expect(one.end <= next.start) }
  }

  @Test
  func `a word longer than a line gets its own line`() {
    let long = String(repeating: "x", count: 60)
    #expect(cues(utterance("a \(long) b")).map(\.lines) == [["a", long], ["b"]])
  }

  @Test
  func `a short cue lasts a second unless the next cue begins sooner`() {
    let alone = cues(utterance("yes"))
    #expect(alone.map(\.end) == [.seconds(1)])
    let hurried = cues(utterance("yes"), utterance("no", from: .milliseconds(900)))
    #expect(hurried.map(\.end) == [.milliseconds(820), .milliseconds(1_900)])
    let close = cues(utterance("yes"), utterance("no", from: .milliseconds(310)))
    #expect(close.map(\.start) == [.zero, .milliseconds(310)])
    #expect(close.first?.end == .milliseconds(230))
  }

  @Test
  func `a cue after one that was already returned begins after the gap`() {
    let cues = cues(
      utterance("go forward ten meters"), utterance("yes", from: .milliseconds(1_210)))
    #expect(cues.map(\.start) == [.zero, .milliseconds(1_280)])
    #expect(cues.map(\.end) == [.milliseconds(1_200), .milliseconds(2_280)])
  }

  @Test
  func `a cue with much text is shown until it can be read at 21 characters per second`() {
    let text = "internationalization standardization"
    #expect(cues(utterance(text)).first?.end == .seconds(36.0 / 21))
    let slow = CuePolicy(maximumDuration: .milliseconds(1_500))
    #expect(cues(utterance(text), policy: slow).first?.end == .milliseconds(1_500))
  }

  @Test
  func `a long cue is cut after a comma rather than at a short silence`() {
    let text =
      "elevenchars elevenchars elevenchars elevenchars, elevenchars elevenchars elevenchars"
    let cut = cues(utterance(text + " elevenchars", pauses: [5: .milliseconds(200)]))
    #expect(cut.first?.words.count == 4)
    let paused = cues(utterance(text + " elevenchars", pauses: [5: .milliseconds(400)]))
    #expect(paused.first?.words.count == 5)
  }

  @Test(arguments: ["250 kilometers", "ten percent", "5 p.m.", "3 million", "20 %", "9 \u{20AC}"])
  func `neither a pause nor a limit cuts between a number and its unit`(quantity: String) {
    let text = "about \(quantity) of it"
    let all = cues(utterance(text, pauses: [2: .seconds(1)]))
    #expect(all.map(\.lines) == [["about \(quantity) of it"]])
    let short = cues(utterance(text), policy: CuePolicy(wordsPerCue: 2))
    #expect(short.map(\.lines) == [["about"], [quantity], ["of it"]])
    let narrow = CuePolicy(charactersPerLine: max(quantity.count, 10), linesPerCue: 3)
    let lines = cues(utterance(text), policy: narrow).flatMap(\.lines)
    #expect(lines.contains { $0.contains(quantity) })
    #expect(cues(utterance(text), policy: CuePolicy(wordsPerCue: 1)).count == 5)
  }

  @Test
  func `line breaks between the words do not count as words`() {
    #expect(cues(utterance("go \u{2028} on")).map(\.lines) == [["go on"]])
  }

  @Test
  func `a cue is returned as soon as its end is certain`() {
    var builder = CueBuilder()
    #expect(builder.add(utterance("go forward ten meters")).count == 1)
    #expect(builder.add(utterance("yes", from: .seconds(5))).isEmpty)
    #expect(builder.add(utterance("go forward ten meters", from: .seconds(8))).count == 2)
    #expect(builder.flush().isEmpty)
  }

  @Test
  func `each of two words at the same time has a cue with a duration`() {
    let words = ["go", "on"].map {
      TranscriptionSegment(substring: $0, timestamp: .seconds(1), duration: .zero)
    }
    let all = cues(Transcription(segments: words), policy: CuePolicy(wordsPerCue: 1))
    #expect(all.count == 2 && all.allSatisfy { $0.start < $0.end })
  }

  @Test
  func `a number with a hyphen is not divided from its unit`() {
    let short = cues(utterance("about twenty-five percent"), policy: CuePolicy(wordsPerCue: 2))
    #expect(short.map(\.lines) == [["about"], ["twenty-five percent"]])
  }

  @Test
  func `an utterance without words adds no cue`() {
    #expect(cues(Transcription(segments: [])).isEmpty)
  }
}
