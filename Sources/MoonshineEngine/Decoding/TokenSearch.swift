import Glibc
import SpeechEngine

/// A text that the model has found.
struct DecodedText: Sendable {
  /// Its tokens, without its end.
  var tokens: [Token] = []
  /// The logarithm of each token's probability, and that of the end if it was reached.
  var logProbabilities: [Float] = []
  /// The spelling of each token.
  var spellings: [[UInt8]] = []
  /// The guide after the last token.
  var guide = TokenGuide.none
}

/// Finds the likeliest texts of an utterance with a beam search.
struct TokenSearch<Model: TokenModel> {
  let model: Model
  let tokenizer: Tokenizer
  let limits: TextLimits
  let guide: TokenGuide
  /// The number of texts that are followed at a time.
  var width = 1

  /// An incomplete text.
  private struct Beginning {
    var text: DecodedText
    var score: Float
    let state: Model.State
    let scores: TokenScores
  }

  /// A text and its possible next token.
  private struct Step {
    let beginning: Beginning
    let candidate: TokenGuide.Candidate
    var score: Float { beginning.score + candidate.score }
  }

  /// The likeliest texts, the likeliest first.
  ///
  /// - Parameters:
  ///   - count: the number of texts wanted; fewer may be found.
  ///   - draft: the probable beginning of the text. One pass verifies it, and the search continues from
  ///     the first token that is not the likeliest. It only saves time and is not used for several
  ///     texts at a time.
  func texts(_ count: Int = 1, draft: [Token] = []) throws(SpeechEngineError) -> [DecodedText] {
    let known = Array(draft.prefix(width == 1 ? limits.tokenCount - 1 : 0))
    let (scores, state) = try model.begin(known)
    let silence = scores[0].logProbability(of: Tokenizer.end)
    if silence >= TextPlausibility.nothing { return [DecodedText(logProbabilities: [silence])] }
    var open = [try verify(known, scores, state)]
    var endings: [(text: DecodedText, score: Float)] = []
    while !open.isEmpty {
      var next: [Beginning] = []
      for step in steps(from: open) {
        // A longer text is never more likely, except for the guide's bonus.
        let worst = endings.count >= count ? endings[count - 1].score : -.infinity
        guard step.score + guide.mostBonus > worst else { continue }
        guard let beginning = try follow(step) else {
          endings.append((ending(step), step.score))
          endings.sort { $0.score > $1.score }
          continue
        }
        next.append(beginning)
      }
      open = next
    }
    return endings.prefix(count).map(\.text)
  }

  /// Accepts as much of the draft as the search would have found.
  private func verify(
    _ draft: [Token], _ scores: [TokenScores], _ state: Model.State
  ) throws(SpeechEngineError) -> Beginning {
    var text = DecodedText(guide: guide)
    var score: Float = 0
    for (token, scores) in zip(draft, scores) {
      let best = candidates(1, after: text, scores).first
      guard let best, best.token == token else { break }
      text.add(best, of: tokenizer)
      score += best.score
    }
    let count = text.tokens.count
    return Beginning(
      text: text, score: score,
      state: count == draft.count ? state : try model.cut(state, to: count),
      scores: scores[count])
  }

  /// The best next steps.
  private func steps(from open: [Beginning]) -> [Step] {
    let all = open.flatMap { beginning in
      candidates(width, after: beginning.text, beginning.scores)
        .map { Step(beginning: beginning, candidate: $0) }
    }
    return Array(all.sorted { $0.score > $1.score }.prefix(width))
  }

  /// The best next tokens; an empty text cannot end.
  private func candidates(
    _ count: Int, after text: DecodedText, _ scores: TokenScores
  ) -> ArraySlice<TokenGuide.Candidate> {
    text.guide.candidates(scores, most: count + 1, of: tokenizer)
      .filter { $0.token != Tokenizer.end || !text.tokens.isEmpty }.prefix(count)
  }

  /// The text with one more token; nil if it is complete.
  private func follow(_ step: Step) throws(SpeechEngineError) -> Beginning? {
    var text = step.beginning.text
    text.add(step.candidate, of: tokenizer)
    guard step.candidate.token != Tokenizer.end, !areLimitsReached(by: text) else { return nil }
    let (scores, state) = try model.reading(step.candidate.token, after: step.beginning.state)
    return Beginning(text: text, score: step.score, state: state, scores: scores)
  }

  /// A grammar itself limits repetition.
  private func areLimitsReached(by text: DecodedText) -> Bool {
    guide.isGrammar
      ? text.tokens.count >= limits.tokenCount : limits.areReached(by: text.spellings)
  }

  private func ending(_ step: Step) -> DecodedText {
    var text = step.beginning.text
    text.add(step.candidate, of: tokenizer)
    guard step.candidate.token != Tokenizer.end, !guide.isGrammar else { return text }
    text.tokens.removeLast(limits.excess(of: text.spellings))
    text.logProbabilities = Array(text.logProbabilities.prefix(text.tokens.count))
    return text
  }
}

extension DecodedText {
  /// Appends a token.
  fileprivate mutating func add(_ candidate: TokenGuide.Candidate, of tokenizer: Tokenizer) {
    if candidate.token != Tokenizer.end {
      tokens.append(candidate.token)
      spellings.append(tokenizer.spelling(of: candidate.token))
    }
    logProbabilities.append(candidate.logProbability)
    guide = candidate.guide
  }
}

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
