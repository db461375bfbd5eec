import SpeechClient
import Testing

/// Words are joined with or without spaces, according to their script.
@Suite struct JoinedWordsTests {
  @Test(arguments: [
    (["ten", "meters"], "ten meters"), ([], ""), (["one"], "one"), (["", "a", "", "b"], "a b"),
    // Chinese and Japanese have no spaces, even beside Latin letters, digits, and punctuation.
    (
      ["\u{6211}", "\u{7528}", "iPhone", "\u{624B}\u{673A}", "\u{3002}"],
      "\u{6211}\u{7528}iPhone\u{624B}\u{673A}\u{3002}"
    ),
    (
      ["2023", "\u{5E74}", "\u{306B}", "\u{30C6}\u{30B9}\u{30C8}"],
      "2023\u{5E74}\u{306B}\u{30C6}\u{30B9}\u{30C8}"
    ),
    // Korean has spaces, even beside a Chinese character.
    (
      ["\u{C548}\u{B155}", "\u{C138}\u{ACC4}", "\u{6F22}", "\u{B3C4}"],
      "\u{C548}\u{B155} \u{C138}\u{ACC4} \u{6F22} \u{B3C4}"
    ),
    // Thai has spaces only beside other scripts.
    (
      ["\u{0E21}\u{0E35}", "\u{0E04}\u{0E19}", "5", "\u{0E04}\u{0E19}"],
      "\u{0E21}\u{0E35}\u{0E04}\u{0E19} 5 \u{0E04}\u{0E19}"
    ),
    (["\u{430}", "\u{645}", "\u{928}"], "\u{430} \u{645} \u{928}"),
  ])
  func `joined words have spaces if their script has spaces`(words: [String], text: String) {
    #expect(words.joinedAsWritten == text)
    let segments = words.map {
      TranscriptionSegment(substring: $0, timestamp: .zero, duration: .zero)
    }
    #expect(Transcription(segments: segments).formattedString == text)
  }
}
