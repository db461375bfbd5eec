package import AudioCore

/// Spreads words without times over a span, one after another, each in proportion to its length.
package enum WordSpread {
  /// No word is taken to last longer, so that few words in a long span stay words.
  static let longestWord = FrameCount(.seconds(1), at: .speech)

  package static func words(
    _ texts: [String], over span: Range<FrameCount>
  ) -> [SpeechHypothesis.Word] {
    let weights = texts.map { $0.count + 1 }
    let total = max(1, weights.reduce(0, +))
    let length = (span.upperBound - span.lowerBound).rawValue
    var before = 0
    return zip(texts, weights).map { text, weight in
      let begin = span.lowerBound + FrameCount(length * before / total)
      before += weight
      let end = span.lowerBound + FrameCount(length * before / total)
      return SpeechHypothesis.Word(text, frames: begin..<min(end, begin + longestWord))
    }
  }
}
