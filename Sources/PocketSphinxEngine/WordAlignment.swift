package import AudioCore
import FoundationEssentials
package import SpeechEngine
import Synchronization

/// Finds where words lie in utterances, for engines that know the words alone.
///
/// Thread safety: any number of threads may use it at the same time. Loaded aligners are kept: as
/// many as were at work at once, and no more than there are processors.
package final class WordAlignment: Sendable {
  private let location = ModelLocation(chosen: nil)
  private let limit = max(1, ProcessInfo.processInfo.activeProcessorCount)
  private let hasPrepared = Atomic(false)
  // Held to move an aligner in or out, never while one loads or works.
  private let idle = Mutex<[IdleAligner]>([])

  /// An aligner that nobody uses.
  ///
  /// Unchecked, because an aligner is no value; right, because whoever gives it back keeps no
  /// reference, and one taker gets it.
  private struct IdleAligner: @unchecked Sendable {
    let aligner: AcousticAligner
  }

  package init() {}

  /// Loads the first aligner in advance, once, if the language's model is installed; `places` reports
  /// what is wrong with it.
  package func prepare(language: String) {
    guard hasPrepared.exchange(true, ordering: .relaxed) == false,
      (try? location.check(language: language)) != nil, let aligner = try? take()
    else { return }
    giveBack(IdleAligner(aligner: aligner))
  }

  /// Where each word lies: PocketSphinx' model for the language has to be installed.
  ///
  /// - Parameters:
  ///   - words: as people write them; punctuation does not matter.
  ///   - isWanted: asked every tenth of a second of the utterance.
  /// - Returns: nil for a word that the dictionary lacks, and for all of them where they are not found.
  /// - Throws: `SpeechEngineError`: `.modelMissing`, `.languageMissing`, `.interrupted`, and others.
  package func places(
    of words: [String], in samples: [Float], language: String, while isWanted: () -> Bool
  ) throws(SpeechEngineError) -> [Range<FrameCount>?]? {
    try location.check(language: language)
    let parts = words.map(Self.parts)
    let aligner = try take()
    let places = try aligner.places(
      of: parts.flatMap(\.self), in: samples.inSixteenBits, while: isWanted)
    giveBack(IdleAligner(aligner: aligner))
    guard var rest = places?[...] else { return nil }
    return parts.map { parts in
      let own = rest.prefix(parts.count)
      rest = rest.dropFirst(parts.count)
      guard let first = own.first, let begin = first?.lowerBound, let end = own.last??.upperBound
      else { return nil }
      return begin..<end
    }
  }

  /// The words of the dictionary that a word is made of: of "Twenty-five!" and of "25" twenty and five.
  private static func parts(of word: String) -> [String] {
    if let number = Int(word[...].trimmed { ".,;:!?\"()".contains($0) }),
      let words = EnglishNumber.words(of: number)
    {
      return words
    }
    return word.lowercased().replacing("\u{2019}", with: "'")
      .split { !($0.isLetter || $0.isNumber || $0 == "'" || $0 == ".") }
      .map { part in String(part.trimmed { $0 == "." || $0 == "'" }) }
      .filter { !$0.isEmpty }
  }

  private func take() throws(SpeechEngineError) -> AcousticAligner {
    if let free = idle.withLock({ $0.popLast() }) { return free.aligner }
    return try AcousticAligner(model: location.find())
  }

  private func giveBack(_ aligner: IdleAligner) {
    idle.withLock { idle in
      if idle.count < limit { idle.append(aligner) }
    }
  }
}

/// How numbers are read aloud that have one reading: larger ones may be years or digits.
private enum EnglishNumber {
  private static let small = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
  ]
  private static let tens = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
  ]

  /// The words of a number below 100; nil for any other.
  static func words(of number: Int) -> [String]? {
    switch number {
    case 0..<20: [small[number]]
    case 20..<100: [tens[number / 10 - 2]] + (number % 10 > 0 ? [small[number % 10]] : [])
    default: nil
    }
  }
}

extension Substring {
  /// The text without such characters around it.
  fileprivate func trimmed(_ isOuter: (Character) -> Bool) -> Substring {
    let start = drop(while: isOuter)
    return start[..<(start.lastIndex { !isOuter($0) }.map(start.index(after:)) ?? start.startIndex)]
  }
}
