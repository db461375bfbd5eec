import AudioCore
import SpeechClient
import SpeechEngine

/// Gives words the spelling of a request's phrases if they differ only in case, spaces, and
/// hyphens.
///
/// "comfy UI" becomes "ComfyUI": one word with the frames of both words and the lower of their
/// confidences. At the beginning of a sentence, a phrase in lower case gets a capital.
struct PhraseSpelling {
  typealias Word = SpeechHypothesis.Word

  /// The words of each phrase, by the phrase's letters.
  private var phrases: [String: [String]] = [:]
  private var longest = 0

  /// Creates the spelling of phrases; if several phrases have the same letters, the first is used.
  init(_ phrases: [String]) {
    for phrase in phrases {
      let words = phrase.split(whereSeparator: \.isWhitespace).map(String.init)
      let letters = words.map(Self.letters).joined()
      guard !letters.isEmpty, self.phrases[letters] == nil else { continue }
      self.phrases[letters] = words
      longest = max(longest, letters.count)
    }
  }

  /// Returns the number of stable words after respelling.
  ///
  /// A word that may begin a phrase is not stable: if later words complete the phrase, respelling
  /// may join the words.
  ///
  /// - Parameters:
  ///   - count: the number of stable words before respelling.
  ///   - words: all words before respelling.
  func settledCount(_ count: Int, of words: [Word]) -> Int {
    let texts = words.prefix(count).map { Self.letters(of: $0.text) }
    let firstOpen = texts.indices.first { index in
      let letters = texts[index...].joined()
      return phrases.keys.contains { $0.count > letters.count && $0.hasPrefix(letters) }
    }
    return applied(to: Array(words.prefix(firstOpen ?? count))).count
  }

  /// Returns the words, with the phrases among them respelled.
  ///
  /// If several phrases begin at the same word, the longest is used.
  func applied(to words: [Word]) -> [Word] {
    guard !phrases.isEmpty else { return words }
    var spelled: [Word] = []
    var rest = words[...]
    while let first = rest.first {
      guard let (phrase, count) = longestPhrase(at: rest) else {
        spelled.append(first)
        rest.removeFirst()
        continue
      }
      let beginsSentence = spelled.last?.text.last.map { ".?!".contains($0) } ?? true
      spelled += Self.respelled(rest.prefix(count), as: phrase, beginsSentence: beginsSentence)
      rest.removeFirst(count)
    }
    return spelled
  }

  /// Returns the longest phrase that has the same letters as the first words, and the number of
  /// those words.
  private func longestPhrase(
    at words: ArraySlice<Word>
  ) -> (phrase: [String], wordCount: Int)? {
    var letters = ""
    var found: ([String], Int)?
    for (index, word) in words.enumerated() {
      letters += Self.letters(of: word.text)
      guard letters.count <= longest else { break }
      // Words with a punctuation mark between them, such as the end of a sentence, do not match a
      // phrase, unless the phrase contains the mark, too.
      if let phrase = phrases[letters],
        Self.innerMarkCount(of: words.prefix(index + 1).map(\.text))
          <= Self.innerMarkCount(of: phrase)
      {
        found = (phrase, index + 1)
      }
    }
    return found
  }

  /// Returns the words of a phrase as a replacement for recognized words.
  ///
  /// The replacement has the punctuation around the recognized words, and the lowest of their
  /// confidences.
  private static func respelled(
    _ words: ArraySlice<Word>, as phrase: [String], beginsSentence: Bool
  ) -> [Word] {
    guard let begin = words.first?.frames.lowerBound, let end = words.last?.frames.upperBound else {
      return []
    }
    let confidence = words.compactMap(\.confidence).min()
    let span = begin..<max(begin, end)
    let places =
      if phrase.count == words.count {
        words.map(\.frames)
      } else if phrase.count == 1 {
        [span]
      } else {
        Word.spread(phrase, over: span).map(\.frames)
      }
    var spelled = zip(phrase, places).map { Word($0, frames: $1, confidence: confidence) }
    let before = words.first.map { $0.text.outerMarks.before } ?? ""
    let after = words.last.map { $0.text.outerMarks.after } ?? ""
    let hasCapital = words.first?.text.dropFirst(before.count).first?.isUppercase == true
    let isLower = phrase.allSatisfy { $0 == $0.lowercased() }
    let first = spelled[0].text
    let keepsCapital = beginsSentence && hasCapital && isLower
    spelled[0].text = keepsCapital ? first.prefix(1).uppercased() + first.dropFirst() : first
    if !spelled[0].text.hasPrefix(before) { spelled[0].text = before + spelled[0].text }
    let last = spelled.count - 1
    if !spelled[last].text.hasSuffix(after) { spelled[last].text += after }
    return spelled
  }

  /// Returns the text in lower case, without spaces, hyphens, and outer punctuation marks.
  private static func letters(of text: String) -> String {
    let (before, after) = text.outerMarks
    return text.dropFirst(before.count).dropLast(after.count).lowercased()
      .replacing("\u{2019}", with: "'").filter { !$0.isWhitespace && !hyphens.contains($0) }
  }

  /// Returns the number of punctuation marks between the words.
  ///
  /// Several marks at the same end of a word count as one.
  private static func innerMarkCount(of words: [String]) -> Int {
    words.dropLast().count { !$0.outerMarks.after.isEmpty }
      + words.dropFirst().count { !$0.outerMarks.before.isEmpty }
  }

  private static let hyphens: Set<Character> = ["-", "\u{2010}", "\u{2011}"]
}
