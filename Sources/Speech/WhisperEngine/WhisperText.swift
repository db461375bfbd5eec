import AudioCore
import Glibc
import SpeechEngine

/// The options of a decode.
struct WhisperTask: Sendable {
  /// The index of the spoken language; nil to detect it.
  var language: Int?
  var translates = false
  /// The tokens that the text continues, such as contextual phrases.
  var prompt: [WhisperModel.Token] = []
}

/// A decoded text.
struct WhisperText: Sendable {
  typealias Token = WhisperModel.Token

  var tokens: [Token] = []
  /// The log probability of each token, and then of the end token.
  var logProbabilities: [Float] = []
  /// The probability that the audio has no speech.
  var noSpeech = 0.0
  /// The index and probability of the language; nil for an English model.
  var language: (index: Int, probability: Double)?
  /// Whether the model ended the text; false if it repeats itself or became too long.
  var isEnded = false
  /// The number of tokens at the end of an endless text that repeat the tokens before them.
  var repeatedCount = 0

  /// The geometric mean of the probabilities of the tokens and of the end; 0 for no text.
  var probability: Double {
    guard !tokens.isEmpty else { return 0 }
    let sum = logProbabilities.reduce(0) { $0 + Double($1) }
    return exp(sum / Double(logProbabilities.count))
  }

  /// Whether another decode may find a better text; false for silence, in which it would find an
  /// invented one.
  var isDoubtful: Bool { !isEnded || probability < 0.5 && !isSilence }

  /// Whether the model found no speech and is not sure of its text.
  var isSilence: Bool {
    (tokens.isEmpty || probability < SpeechHypothesis.leastProbability) && noSpeech > 0.3
      || noSpeech > 0.6 && probability < SpeechHypothesis.doubtfulProbability
      || !isEnded && noSpeech > 0.3
  }

  /// Returns the text that ended; if both or neither did, the likelier text.
  func orBetter(_ other: WhisperText) -> WhisperText {
    if isEnded != other.isEnded { return isEnded ? self : other }
    return other.probability > probability ? other : self
  }
}

extension WhisperState {
  /// The maximum rate of tokens; a character takes several tokens in some scripts.
  private static let mostPerSecond = 30
  /// The tokens that fit into the decoder, the prompt included.
  private static let mostTokens = 440
  /// The most tokens of a prompt.
  static let longestPrompt = 200

  /// Decodes an utterance greedily: each token is the likeliest one.
  ///
  /// - Parameter check: throws to end the call; it is called before each step.
  /// - Throws: `.failed`, and the errors of `check`.
  func text(
    of samples: [Float], window frames: Int, task: WhisperTask,
    check: () throws(SpeechEngineError) -> Void
  ) throws(SpeechEngineError) -> WhisperText {
    try check()
    try encode(samples, window: frames)
    try check()
    var text = WhisperText()
    let first = Int(model.start) + 1
    let languages: [Float]
    // Phrases before the start would affect the language.
    (text.noSpeech, languages) = try decode([model.start], after: 0) { scores in
      let languages = scores[first...].prefix(model.languageCount)
      return (scores.probability(of: Int(model.noSpeech)), Array(languages))
    }
    var prefix = [model.noTimestamps]
    if model.isMultilingual {
      let likeliest = languages.indices.max { languages[$0] < languages[$1] } ?? 0
      let index = task.language ?? likeliest
      text.language = (index, languages.withUnsafeBufferPointer { $0.probability(of: index) })
      prefix =
        [
          model.token(ofLanguage: index), task.translates ? model.translate : model.transcribe,
        ] + prefix
    }
    let hasPrompt = !task.prompt.isEmpty
    if hasPrompt { prefix = task.prompt + [model.start] + prefix }
    var past = prefix.count + (hasPrompt ? 0 : 1)
    let seconds = samples.count / SampleRate.speech.hertz + 1
    let most = min(Self.mostPerSecond * seconds, Self.mostTokens - past)
    var next = try likeliest(after: prefix, past: hasPrompt ? 0 : 1)
    // People repeat themselves, too, but not as fast as the model.
    let loop = max(24, 8 * seconds)
    while next.token != model.end, text.tokens.count < most, text.repeatedCount == 0 {
      text.tokens.append(next.token)
      text.logProbabilities.append(next.logProbability)
      text.repeatedCount = text.tokens.repeatedCount(ofAtLeast: loop)
      try check()
      next = try likeliest(after: [next.token], past: past)
      past += 1
    }
    text.isEnded = next.token == model.end
    if text.isEnded { text.logProbabilities.append(next.logProbability) }
    return text
  }

  /// Returns the likeliest token of a text, or its end, after these tokens.
  private func likeliest(
    after tokens: [WhisperModel.Token], past: Int
  ) throws(SpeechEngineError) -> (token: WhisperModel.Token, logProbability: Float) {
    let next = try decode(tokens, after: past) { scores in
      scores.prefix(through: Int(model.end)).likeliest
    }
    guard next.logProbability.isFinite else {
      throw .failed(reason: "the model returned no probabilities; install it again")
    }
    return (WhisperModel.Token(next.index), next.logProbability)
  }
}

extension [WhisperModel.Token] {
  /// Returns the number of tokens at the end that repeat a part; 0 if the text does not end in at
  /// least three copies of a part, with at least `least` tokens together.
  func repeatedCount(ofAtLeast least: Int) -> Int {
    for period in 1...Swift.max(1, count / 3) where count > period {
      let run = indices.reversed().prefix { $0 >= period && self[$0] == self[$0 - period] }.count
      if run + period >= Swift.max(3 * period, least) { return run }
    }
    return 0
  }
}

/// The scores of tokens, from which their probabilities follow.
extension RandomAccessCollection<Float> where Index == Int {
  /// Returns the probability of the element at `index`.
  fileprivate func probability(of index: Int) -> Double {
    let most = self.max() ?? 0
    let sum = reduce(Float(0)) { $0 + expf($1 - most) }
    return Double(expf(self[index] - most) / sum)
  }

  /// The index of the highest score, and the logarithm of its probability.
  fileprivate var likeliest: (index: Int, logProbability: Float) {
    var best = startIndex
    for index in indices where self[index] > self[best] { best = index }
    let most = self[best]
    return (best, -logf(reduce(Float(0)) { $0 + expf($1 - most) }))
  }
}
