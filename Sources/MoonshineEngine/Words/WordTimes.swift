import AudioCore
import SpeechEngine

/// Times for the words of an utterance.
enum WordTimes {
  typealias Word = SpeechHypothesis.Word

  /// Places that are estimated: one word after the other over the voice.
  static func estimated(_ words: [DecodedWord], over voice: Range<FrameCount>) -> [Word] {
    zip(words, WordSpread.words(words.map(\.text), over: voice)).map { word, place in
      Word(word.text, frames: place.frames, confidence: word.confidence)
    }
  }

  /// Places that were measured, with their ends beside pauses where the voice is; words without one
  /// share the gap between their neighbors.
  static func measured(
    _ words: [DecodedWord], at measured: [Range<FrameCount>?], in span: VoicedSpan
  ) -> [Word] {
    let places = span.fitting(measured)
    let voice = span.frames
    var placed: [Word] = []
    var rest = Array(zip(words, places))[...]
    while let (word, place) = rest.first {
      if let place {
        placed.append(Word(word.text, frames: place, confidence: word.confidence))
        rest = rest.dropFirst()
      } else {
        let missing = rest.prefix { $0.1 == nil }
        rest = rest.dropFirst(missing.count)
        let begin = placed.last?.frames.upperBound ?? voice.lowerBound
        let end = max(begin, rest.first?.1?.lowerBound ?? voice.upperBound)
        // Between neighbors without a place, a word keeps its room and loses only silence.
        let gap = span.fitting([nil, begin..<end, nil])[1] ?? begin..<end
        placed += estimated(missing.map(\.0), over: gap)
      }
    }
    return placed
  }
}
