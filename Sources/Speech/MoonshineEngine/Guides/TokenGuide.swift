import SpeechEngine

/// Restricts the next token of a text to a grammar, favors contextual phrases, or does neither.
enum TokenGuide: Sendable {
  case none
  case phrases(PhraseProgress)
  case grammar(GrammarProgress)

  /// A possible next token.
  struct Candidate {
    let token: Token
    /// The logarithm of the token's probability.
    let logProbability: Float
    /// The bonus that the guide adds to `logProbability`.
    let bonus: Float
    /// The state of the guide after the token.
    let guide: TokenGuide

    var score: Float { logProbability + bonus }
  }

  /// Creates the guide for a session's options.
  ///
  /// - Throws: `.grammarInvalid`.
  init(_ options: SpeechSessionOptions) throws(SpeechEngineError) {
    if let grammar = options.grammar {
      self = .grammar(GrammarProgress(try GrammarGraph(JSGFGrammar(grammar))))
    } else {
      let progress = PhraseProgress(options.contextualPhrases)
      self = progress.isEmpty ? .none : .phrases(progress)
    }
  }

  var isGrammar: Bool { if case .grammar = self { true } else { false } }

  /// The highest bonus that the text can still gain by further tokens.
  var mostBonus: Float { if case .phrases = self { PhraseProgress.most } else { 0 } }

  /// Returns the best next tokens, the best first; one of them can be the end token.
  func candidates(
    _ scores: TokenScores, most count: Int, of tokenizer: Tokenizer
  ) -> [Candidate] {
    let found =
      switch self {
      case .none:
        scores.best(count, of: tokenizer).map {
          Candidate(
            token: $0, logProbability: scores.logProbability(of: $0), bonus: 0, guide: self)
        }
      case .phrases(let progress):
        phraseCandidates(progress, scores, most: count, of: tokenizer)
      case .grammar(let progress): grammarCandidates(progress, scores, of: tokenizer)
      }
    return Array(
      found.filter { $0.logProbability.isFinite }.sorted { $0.score > $1.score }.prefix(count))
  }

  private func grammarCandidates(
    _ progress: GrammarProgress, _ scores: TokenScores, of tokenizer: Tokenizer
  ) -> [Candidate] {
    var tokens = tokenizer.tokens(readBy: progress, reading: { $0.reading($1) }).map {
      ($0.token, TokenGuide.grammar($0.reader))
    }
    if let next = progress.readingApostrophe {
      tokens += tokenizer.apostrophes.map { ($0, .grammar(next)) }
    }
    if progress.mayEnd { tokens.append((Tokenizer.end, self)) }
    return tokens.map { token, guide in
      Candidate(
        token: token, logProbability: scores.logProbability(of: token), bonus: 0, guide: guide)
    }
  }

  private func phraseCandidates(
    _ progress: PhraseProgress, _ scores: TokenScores, most count: Int, of tokenizer: Tokenizer
  ) -> [Candidate] {
    let likely = scores.best(count, of: tokenizer)
    let inPhrases = tokenizer.tokens(readBy: progress, reading: { $0.reading($1) }).map(\.token)
    return Set(likely + inPhrases).map { token in
      let next = progress.reading(tokenizer.spelling(of: token))
      let worth = token == Tokenizer.end ? progress.worthAtEnd : next.worth
      return Candidate(
        token: token, logProbability: scores.logProbability(of: token),
        bonus: worth - progress.worth, guide: .phrases(next))
    }
  }
}

extension TokenScores {
  /// Returns the likeliest tokens, the likeliest first.
  ///
  /// Tokens without text are skipped, except the end token.
  fileprivate func best(_ count: Int, of tokenizer: Tokenizer) -> [Token] {
    var best: [Token] = []
    for token in 0..<min(logits.count, tokenizer.texts.count) {
      if let last = best.last, best.count == count, logits[token] <= logits[last] { continue }
      guard token == Tokenizer.end || !tokenizer.texts[token].isEmpty else { continue }
      let place = best.firstIndex { logits[$0] < logits[token] } ?? best.count
      best.insert(token, at: place)
      if best.count > count { best.removeLast() }
    }
    return best
  }
}
