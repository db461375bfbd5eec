import Glibc
import SpeechEngine

/// The decoder of a model over one encoded utterance: which token comes next, given those before.
protocol TokenModel {
  /// What the model knows of the tokens so far; it is not changed by going on from it, so that
  /// several texts may begin with the same tokens.
  associatedtype State

  /// Reads the first tokens of a text in one pass.
  ///
  /// - Returns: what may come behind the beginning and behind each of the tokens: one more than
  ///   there are tokens.
  func begin(
    _ tokens: [Token]
  ) throws(SpeechEngineError) -> (scores: [TokenScores], state: State)

  /// Reads one token more.
  func reading(
    _ token: Token, after state: State
  ) throws(SpeechEngineError) -> (scores: TokenScores, state: State)

  /// The state after the first tokens alone.
  func cut(_ state: State, to count: Int) throws(SpeechEngineError) -> State
}

/// How likely each token is to come next.
struct TokenScores {
  let logits: [Float]
  /// What the exponentials of all of them come to, as a logarithm.
  private let total: Float

  /// - Throws: `.failed` for values that are no numbers, as a damaged model gives.
  init(_ logits: [Float]) throws(SpeechEngineError) {
    let most = logits.max() ?? .nan
    var sum: Float = 0
    for logit in logits { sum += exp(logit - most) }
    total = most + log(sum)
    self.logits = logits
    guard total.isFinite else { throw .failed(reason: "the model gives no probabilities") }
  }

  /// The logarithm of a token's probability; a tokenizer may have tokens that its model does not know.
  func logProbability(of token: Token) -> Float {
    logits.indices.contains(token) ? logits[token] - total : -.infinity
  }
}
