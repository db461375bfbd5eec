import SpeechEngine

/// A text as the model has found it.
struct DecodedText: Sendable {
  /// Its tokens, without its end.
  var tokens: [Token] = []
  /// The logarithm of each token's probability; the last is that of the end, where it was reached.
  var logProbabilities: [Float] = []
  /// Where the guide is behind the last token.
  var guide = TokenGuide.none
}

/// Finds the likeliest texts of an utterance: token by token, so many texts at a time.
struct TokenSearch<Model: TokenModel> {
  let model: Model
  let tokenizer: Tokenizer
  let limits: TextLimits
  let guide: TokenGuide
  /// How many texts are followed at a time.
  var width = 1

  /// A text that is not at its end.
  private struct Beginning {
    var text: DecodedText
    var score: Float
    let state: Model.State
    let scores: TokenScores
  }

  /// A way to go on with a text.
  private struct Step {
    let beginning: Beginning
    let candidate: TokenGuide.Candidate
    var score: Float { beginning.score + candidate.score }
  }

  /// A text that is complete.
  private struct Ending {
    let text: DecodedText
    let score: Float
  }

  /// The likeliest texts, the likeliest first.
  ///
  /// - Parameters:
  ///   - count: how many are wanted; less may be found.
  ///   - draft: what the text may begin with. One pass verifies it, and the search goes on from the
  ///     first token that is not the likeliest; it changes nothing but the time that takes. For
  ///     several texts at a time it is not used.
  func texts(_ count: Int = 1, draft: [Token] = []) throws(SpeechEngineError) -> [DecodedText] {
    let known = Array(draft.prefix(width == 1 ? limits.tokenCount - 1 : 0))
    let (scores, state) = try model.begin(known)
    let silence = scores[0].logProbability(of: Tokenizer.end)
    if silence >= Plausibility.nothing { return [DecodedText(logProbabilities: [silence])] }
    var open = [try verify(known, scores, state)]
    var endings: [Ending] = []
    while !open.isEmpty {
      var next: [Beginning] = []
      for step in steps(from: open) {
        // A longer text is never more likely, but for what the guide adds.
        let worst = endings.count >= count ? endings[count - 1].score : -.infinity
        guard step.score + guide.mostBonus > worst else { continue }
        guard let beginning = try follow(step) else {
          endings.append(Ending(text: ending(step), score: step.score))
          endings.sort { $0.score > $1.score }
          continue
        }
        next.append(beginning)
      }
      open = next
    }
    return endings.prefix(count).map(\.text)
  }

  /// Reads as much of the draft as the model would have found itself.
  private func verify(
    _ draft: [Token], _ scores: [TokenScores], _ state: Model.State
  ) throws(SpeechEngineError) -> Beginning {
    var text = DecodedText(guide: guide)
    var score: Float = 0
    for (token, scores) in zip(draft, scores) {
      let best = candidates(1, after: text, scores).first
      guard let best, best.token == token else { break }
      text.add(best)
      score += best.score
    }
    let count = text.tokens.count
    return Beginning(
      text: text, score: score,
      state: count == draft.count ? state : try model.cut(state, to: count),
      scores: scores[count])
  }

  /// The best ways to go on.
  private func steps(from open: [Beginning]) -> [Step] {
    let all = open.flatMap { beginning in
      candidates(width, after: beginning.text, beginning.scores)
        .map { Step(beginning: beginning, candidate: $0) }
    }
    return Array(all.sorted { $0.score > $1.score }.prefix(width))
  }

  /// The best tokens to come next; a text that is to end has to have begun.
  private func candidates(
    _ count: Int, after text: DecodedText, _ scores: TokenScores
  ) -> ArraySlice<TokenGuide.Candidate> {
    text.guide.candidates(scores, most: count + 1, of: tokenizer)
      .filter { $0.token != Tokenizer.end || !text.tokens.isEmpty }.prefix(count)
  }

  /// The text with one token more; nil where it is complete.
  private func follow(_ step: Step) throws(SpeechEngineError) -> Beginning? {
    var text = step.beginning.text
    text.add(step.candidate)
    guard step.candidate.token != Tokenizer.end, !areLimitsReached(by: text) else { return nil }
    let (scores, state) = try model.reading(step.candidate.token, after: step.beginning.state)
    return Beginning(text: text, score: step.score, state: state, scores: scores)
  }

  /// A grammar says itself what may be repeated.
  private func areLimitsReached(by text: DecodedText) -> Bool {
    guide.isGrammar
      ? text.tokens.count >= limits.tokenCount : limits.areReached(by: spellings(of: text))
  }

  private func ending(_ step: Step) -> DecodedText {
    var text = step.beginning.text
    text.add(step.candidate)
    guard step.candidate.token != Tokenizer.end, !guide.isGrammar else { return text }
    text.tokens.removeLast(limits.excess(of: spellings(of: text)))
    text.logProbabilities = Array(text.logProbabilities.prefix(text.tokens.count))
    return text
  }

  private func spellings(of text: DecodedText) -> [[UInt8]] {
    text.tokens.map { tokenizer.spellings[$0] }
  }
}

extension DecodedText {
  /// Goes on with a token.
  fileprivate mutating func add(_ candidate: TokenGuide.Candidate) {
    if candidate.token != Tokenizer.end { tokens.append(candidate.token) }
    logProbabilities.append(candidate.logProbability)
    guide = candidate.guide
  }
}
