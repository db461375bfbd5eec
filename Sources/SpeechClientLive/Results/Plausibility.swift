import AudioCore
import SpeechEngine

/// Decides whether the words of an utterance can be speech: engines find words in noise and music, too.
struct Plausibility {
  /// If the confidence of every word is lower, the engine mistook noise for speech.
  static let leastConfidence = 0.03
  /// A word may be this long, and longer if the sound is voiced.
  static let longestWord = FrameCount(.seconds(2), at: .speech)
  /// Words that cover less of the sound than one part in this many are chance.
  static let leastShare = 25
  /// So are short words that cover less than one part in this many of all words.
  static let leastShortShare = 10

  /// Whether the sound is voiced.
  var isVoiced: Bool
  /// The length of the sound.
  var sound: FrameCount

  /// Estimated times say nothing about the length of a word.
  func isSpeech(_ hypothesis: SpeechHypothesis) -> Bool {
    let words = hypothesis.words
    guard !words.isEmpty else { return false }
    let isSure = words.contains { $0.confidence.map { $0 >= Self.leastConfidence } ?? true }
    return isSure && (hypothesis.hasEstimatedTimes || haveLikelyLengths(words))
  }

  /// Whether the words of a partial hypothesis may count as speech: without a confidence from the
  /// engine, the sound must be voiced as well.
  func isVoice(_ hypothesis: SpeechHypothesis) -> Bool {
    let isRated = hypothesis.words.allSatisfy { $0.confidence != nil }
    return (isVoiced || isRated) && isSpeech(hypothesis)
  }

  private func haveLikelyLengths(_ words: [SpeechHypothesis.Word]) -> Bool {
    let length = words.reduce(0) { $0 + $1.length.rawValue }
    let short = words.filter { $0.length < Self.longestWord }
    let shortLength = short.reduce(0) { $0 + $1.length.rawValue }
    let isShort = !short.isEmpty && shortLength * Self.leastShortShare >= length
    return (isShort || isVoiced) && length * Self.leastShare >= sound.rawValue
  }
}

extension SpeechHypothesis.Word {
  fileprivate var length: FrameCount { frames.upperBound - frames.lowerBound }
}
