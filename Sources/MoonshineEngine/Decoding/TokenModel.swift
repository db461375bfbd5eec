import Glibc
import SpeechEngine

/// The decoder for one encoded utterance: it scores the next token, given those before it.
protocol TokenModel {
  /// The model's state after some tokens; it is immutable, so several texts can continue from it.
  associatedtype State

  /// Reads the first tokens of a text in one pass.
  ///
  /// - Returns: the scores after the beginning and after each token: one more than there are tokens.
  func begin(
    _ tokens: [Token]
  ) throws(SpeechEngineError) -> (scores: [TokenScores], state: State)

  /// Reads one more token.
  func reading(
    _ token: Token, after state: State
  ) throws(SpeechEngineError) -> (scores: TokenScores, state: State)

  /// The state after only the first tokens.
  func cut(_ state: State, to count: Int) throws(SpeechEngineError) -> State
}

/// How likely each token is to come next.
struct TokenScores {
  let logits: [Float]
  /// The logarithm of the sum of their exponentials.
  private let total: Float

  /// - Throws: `.failed` for NaN or infinity, which a damaged model can return.
  init(_ logits: [Float]) throws(SpeechEngineError) {
    let most = logits.max() ?? .nan
    var sum: Float = 0
    for logit in logits { sum += exp(logit - most) }
    total = most + log(sum)
    self.logits = logits
    guard total.isFinite else { throw .failed(reason: "the model returned no probabilities") }
  }

  /// The logarithm of a token's probability; negative infinity for a token that the model lacks.
  func logProbability(of token: Token) -> Float {
    logits.indices.contains(token) ? logits[token] - total : -.infinity
  }
}
