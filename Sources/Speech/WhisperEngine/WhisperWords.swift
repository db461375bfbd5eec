import AudioCore
import Glibc
import SpeechEngine

extension WhisperText {
  /// Returns the spoken words, without times: without descriptions of sounds, such as "[Music]", and without
  /// sentences that the model invents in silence.
  ///
  /// - Parameter bytes: returns the bytes of a token.
  func words(_ bytes: (Token) -> [UInt8]) -> [SpeechHypothesis.Word] {
    guard !isSilence else { return [] }
    let words = Self.joined(
      zip(tokens, logProbabilities).dropLast(isEnded ? 0 : repeatedCount).map { (bytes($0), $1) })
    let spoken = words.withoutDescriptions
    let isLikely = noSpeech <= 0.15 && probability >= 0.7
    return !isLikely && isInvented(spoken.map(\.text)) ? [] : spoken
  }

  /// Joins tokens into words: a word begins with a space or, in a script without spaces, with any
  /// character that is not a mark.
  private static func joined(
    _ tokens: [(bytes: [UInt8], logProbability: Float)]
  ) -> [SpeechHypothesis.Word] {
    var words: [(bytes: [UInt8], logProbabilities: [Float])] = []
    for (bytes, logProbability) in tokens {
      if words.isEmpty || begins(bytes, after: words.last?.bytes ?? []) { words.append(([], [])) }
      words[words.count - 1].bytes += bytes
      words[words.count - 1].logProbabilities.append(logProbability)
    }
    return words.compactMap { bytes, logProbabilities in
      // A text that was cut off may end within a character.
      let text = String(decoding: bytes, as: UTF8.self).drop { $0.isWhitespace }
        .filter { $0 != "\u{FFFD}" }
      guard !text.isEmpty else { return nil }
      let mean = logProbabilities.reduce(0, +) / Float(logProbabilities.count)
      return SpeechHypothesis.Word(
        String(text), frames: 0..<0, confidence: Double(expf(mean)))
    }
  }

  private static func begins(_ bytes: [UInt8], after previous: [UInt8]) -> Bool {
    if bytes.first == UInt8(ascii: " ") { return true }
    // If `previous` ends within a character, this token continues it.
    guard String(validating: previous, as: UTF8.self) != nil else { return false }
    // The beginning of a Japanese or Chinese character.
    if bytes.count < 3, let first = bytes.first, (0xE3...0xE9).contains(first) { return true }
    return String(decoding: bytes, as: UTF8.self).unicodeScalars.first?.isWordOfItsOwn ?? false
  }
}

extension [SpeechHypothesis.Word] {
  /// The words without descriptions of sounds, such as "[Music]" and "(door closes)".
  ///
  /// A description begins with a bracket at the beginning of a word and ends with one within six
  /// words. Other signs, as in "50 %", belong to the previous word.
  fileprivate var withoutDescriptions: Self {
    var kept: Self = []
    var rest = self[...]
    while let word = rest.first {
      let end = word.text.first.flatMap { brackets[$0] }
      let last = end.flatMap { end in
        rest.prefix(6).indices.first { index in
          rest[index].text.dropFirst(index == rest.startIndex ? 1 : 0).contains(end)
        }
      }
      if let last {
        rest = rest[(last + 1)...]
        continue
      }
      rest = rest.dropFirst()
      if word.text.contains(where: { $0.isLetter || $0.isNumber }) {
        kept.append(word)
      } else if !kept.isEmpty, word.text != "♪" {
        kept[kept.count - 1].text += " " + word.text
      }
    }
    return kept
  }
}

/// The closing brackets of descriptions of sounds, by the opening ones.
private let brackets: [Character: Character] = [
  "[": "]", "(": ")", "♪": "♪", "【": "】", "（": "）",
]

/// Parts of the credits of subtitles, without spaces.
private let credits = ["amara.org", "opensubtitles", "untertitelungdeszdf", "字幕by"]

/// Sentences that are speech only if the model is sure of them.
private let fillers: Set<String> = [
  "you", "thank you", "thanks", "thanks for watching", "thank you for watching", "bye", "bye bye",
  "thank you very much", "please subscribe", "so", "okay", "oh", "hmm", "gracias",
  "muchas gracias", "gracias por ver el video", "suscríbete", "merci",
  "merci d'avoir regardé cette vidéo", "sous-titrage st' 501",
  "sous-titrage société radio-canada", "vielen dank", "vielen dank fürs zuschauen", "danke",
  "grazie", "obrigado", "obrigada", "tchau", "продолжение следует", "спасибо за просмотр",
  "спасибо",
  "ご視聴ありがとうございました", "ありがとうございました", "おやすみなさい", "시청해주셔서 감사합니다", "감사합니다",
  "谢谢", "谢谢大家", "谢谢观看", "dziękuję", "teşekkür ederim",
]

/// Whether the models invent these words in silence, because subtitles of films end with them.
private func isInvented(_ words: [String]) -> Bool {
  let marks: Set<Character> = [".", ",", "!", "?", "…", "。", "、", "！", "？"]
  let spaced = words.joined(separator: " ").lowercased()
  let plain = spaced.filter { !marks.contains($0) }
  let joined = spaced.filter { $0 != " " }
  return fillers.contains(plain) || fillers.contains(plain.filter { $0 != " " })
    || words.count <= 8 && credits.contains(where: joined.contains)
}

extension Unicode.Scalar {
  /// Whether the character belongs to a script without spaces between words and is no mark.
  fileprivate var isWordOfItsOwn: Bool {
    switch properties.generalCategory {
    case .otherLetter, .modifierLetter: break
    default: return false
    }
    switch value {
    // Thai, Lao, Burmese, Khmer; then Japanese and Chinese.
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: return true
    case 0x3040...0x30FF, 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: return true
    default: return false
    }
  }
}
