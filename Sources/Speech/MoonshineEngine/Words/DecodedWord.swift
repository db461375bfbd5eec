import AudioCore
import Glibc
import SpeechEngine

/// A word of a text, with its punctuation.
struct DecodedWord: Equatable {
  var text: String
  /// The model's confidence: the lowest probability of the audible tokens.
  ///
  /// Measured on 14 recordings, clean and in white noise down to -3 dB (695 words): 97% of the
  /// words above 0.95 are right, four of five from 0.8 to 0.95, three of five from 0.4 to 0.8, and
  /// one of five below 0.4. The product of the probabilities is as good overall, but worse for long
  /// words.
  var confidence: Double?
}

extension [DecodedWord] {
  /// Whether a word is so improbable that the bonus of a contextual phrase may have forced it.
  var haveImprobableWord: Bool { contains { $0.confidence ?? 1 < 0.05 } }

  /// Whether the model was certain of each token, so that a search for other texts is unnecessary.
  ///
  /// Measured on 87 recordings (847 words, 89 utterances): with 0.5, 26 utterances need a search,
  /// and as many words are wrong as if all utterances were searched. With 0.45, 4 more words are
  /// wrong; without any search, 7 more.
  var areSure: Bool { !isEmpty && allSatisfy { $0.confidence ?? 1 >= 0.5 } }

  /// Whether contextual phrases replaced a text instead of correcting it.
  ///
  /// This is assumed if fewer than half of the longer text's words occur in both texts.
  ///
  /// - Parameter plain: the words of the text without contextual phrases.
  func areForced(over plain: [DecodedWord]) -> Bool {
    let keys = { (words: [DecodedWord]) in
      words.map { $0.text.lowercased().filter { $0.isLetter || $0.isNumber } }
    }
    let others = keys(plain)
    return keys(self).count(where: others.contains) * 2 < Swift.max(count, plain.count)
  }
}

extension Tokenizer {
  /// Returns the words of a text.
  ///
  /// A word begins with a space. In Chinese and Japanese, which have no spaces, each token begins a
  /// word. With a grammar, the words have the grammar's spelling.
  func words(of text: DecodedText) -> [DecodedWord] {
    if case .grammar(let progress) = text.guide { return words(of: progress, from: text) }
    var words: [(bytes: [UInt8], least: Float)] = []
    for (token, logProbability) in zip(text.tokens, text.logProbabilities) {
      let bytes = texts[token]
      if words.isEmpty || begins(bytes, after: words.last?.bytes ?? []) { words.append(([], 0)) }
      let last = words.count - 1
      words[last].bytes += bytes
      if spelling(of: token) != [.mark] {
        words[last].least = min(words[last].least, logProbability)
      }
    }
    return words.compactMap { bytes, least in
      let text = String(decoding: bytes, as: UTF8.self).drop(while: \.isWhitespace)
      // Punctuation marks alone are not a word.
      guard text.isSpoken else { return nil }
      return DecodedWord(text: String(text), confidence: Double(exp(least)))
    }
  }

  /// Returns the words of a grammar's sentence, each with the lowest probability of its tokens.
  private func words(of progress: GrammarProgress, from text: DecodedText) -> [DecodedWord] {
    let words = progress.words
    let ends = words.dropFirst().map(\.start) + [Int.max]
    return zip(words, ends).map { word, end in
      var position = 0
      let logProbabilities = zip(text.tokens, text.logProbabilities).filter { token, _ in
        defer { position += spelling(of: token).count }
        return position < end && position + spelling(of: token).count > word.start
      }.map(\.1)
      return DecodedWord(
        text: word.word, confidence: logProbabilities.min().map { Double(exp($0)) })
    }
  }

  private func begins(_ bytes: [UInt8], after previous: [UInt8]) -> Bool {
    if bytes.first == .space { return true }
    guard let first = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first else {
      return false
    }
    // If `previous` ends within a UTF-8 character, this token continues the same word.
    return first.isWordOfItsOwn && String(validating: previous, as: UTF8.self) != nil
  }
}

extension Unicode.Scalar {
  /// Whether the character is Chinese or Japanese; these scripts have no spaces.
  fileprivate var isWordOfItsOwn: Bool {
    switch value {
    case 0x3040...0x30FF, 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
    default: false
    }
  }
}

/// Adds times to the words of an utterance.
extension [DecodedWord] {
  /// Returns the words with estimated times: one after another over the frames of the voice.
  func spread(over voice: Range<FrameCount>) -> [SpeechHypothesis.Word] {
    zip(self, SpeechHypothesis.Word.spread(map(\.text), over: voice)).map { word, place in
      SpeechHypothesis.Word(word.text, frames: place.frames, confidence: word.confidence)
    }
  }

  /// Returns the words with measured times.
  ///
  /// Beside a pause, a word ends where the voice ends. Words without a measured time share the gap
  /// between their neighbors.
  func placed(
    at measured: [Range<FrameCount>?], in span: VoicedSpan
  ) -> [SpeechHypothesis.Word] {
    let places = span.fitting(measured)
    let voice = span.frames
    var placed: [SpeechHypothesis.Word] = []
    var rest = zip(self, places).map { ($0, $1) }[...]
    while let (word, place) = rest.first {
      if let place {
        placed.append(
          SpeechHypothesis.Word(word.text, frames: place, confidence: word.confidence))
        rest = rest.dropFirst()
      } else {
        let missing = rest.prefix { $0.1 == nil }
        rest = rest.dropFirst(missing.count)
        let begin = placed.last?.frames.upperBound ?? voice.lowerBound
        let end = Swift.max(begin, rest.first?.1?.lowerBound ?? voice.upperBound)
        // Between nil neighbors, `fitting` does not extend the gap; it only removes silence at the
        // edges.
        let gap = span.fitting([nil, begin..<end, nil])[1] ?? begin..<end
        placed += missing.map(\.0).spread(over: gap)
      }
    }
    return placed
  }
}
