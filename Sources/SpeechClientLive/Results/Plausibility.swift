import AudioCore
import SpeechEngine

/// Whether the words of an utterance can be speech, because engines also find words in noise and
/// music.
struct Plausibility {
  /// Where the engine is less sure of every single word, it took a noise for speech.
  static let leastConfidence = 0.03
  /// A word may be as long as this, and longer where the sound is that of a voice.
  static let longestWord = FrameCount(.seconds(2), at: .speech)
  /// Words that take a smaller part of the sound than one in so many are chance.
  static let leastShare = 25
  /// So are shorter words that take a smaller part than one in so many of what all words take.
  static let leastShortShare = 10

  /// Whether the sound has the periods of a voice.
  var isVoiced: Bool
  /// How long it sounds.
  var sound: FrameCount

  /// Of words whose times are a guess their length is no evidence.
  func isSpeech(_ hypothesis: SpeechHypothesis) -> Bool {
    let words = hypothesis.words
    guard !words.isEmpty else { return false }
    let isSure = words.contains { $0.confidence.map { $0 >= Self.leastConfidence } ?? true }
    return isSure && (hypothesis.hasEstimatedTimes || haveLikelyLengths(words))
  }

  /// Whether the words of a partial hypothesis may be called speech: where the engine does not say
  /// yet how sure it is, the sound has to be a voice's as well.
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
