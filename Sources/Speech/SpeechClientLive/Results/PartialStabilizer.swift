import AudioCore
import SpeechClient
import SpeechEngine

/// Determines which words of an utterance's hypotheses are stable.
///
/// Words are compared after normalization: "metre" is meter, "ten" and "10" are one number, "can
/// not" is cannot. A word becomes stable only after another word has followed it. Neither a word
/// with digits nor any later word becomes stable, because an engine often spells numbers in another
/// way at the end. If the engine contradicts a stable word, the words from there on are no longer
/// stable.
///
/// If the engine numbers its decodes, a word becomes stable when its evidence reaches a limit. Each
/// decode in which the word and all words before it stayed the same adds the square of the word's
/// confidence, multiplied by the confidence of the next word. An unsure next word counts less,
/// because the previous word is then often only the beginning of a longer word, such as "you" for
/// "humanity".
///
/// Measured with Moonshine on 87 recordings (850 words in all), decoded every 320 ms: 600 words
/// become stable before the end, and no final hypothesis contradicts a stable word. This is also
/// true with a `neededEvidence` of up to 1.2, and with a `nextConfidence` of 0.3 to 0.7. If the
/// confidence of the next word is ignored and the limit is 1.25, 606 words become stable, on
/// average 0.04 s later, and two final hypotheses contradict a stable word.
///
/// For other engines, a word is stable once it and all words before it have been the same for half
/// a second of audio, unless the word at its position has changed too often. Measured with
/// PocketSphinx on 26 utterances of 144 words: 53 words become stable before the end, and the final
/// hypotheses contain all of them. Without the limit on changes, 92 words become stable, and 2
/// final hypotheses differ. In 63 utterances with buffers of 20, 33, and 100 ms, 1 final hypothesis
/// contradicts a stable word. Of 525 other combinations of durations and change limits, every
/// combination that makes words stable more than 20 ms sooner on average causes more
/// contradictions.
struct PartialStabilizer {
  /// The duration for which a word must be unchanged to become stable, if decodes are not numbered.
  static let agreement = FrameCount(.milliseconds(500), at: .speech)
  /// The evidence at which a word becomes stable, if decodes are numbered.
  static let neededEvidence = 0.95
  /// The confidence assumed for a word whose confidence is unknown; the word then becomes stable
  /// after two decodes.
  static let unknownConfidence = 0.9
  /// The confidence assumed for the word after the last word of a hypothesis.
  static let nextConfidence = 0.5
  /// The maximum number of changes of the word at a position, including its first appearance.
  static let maximumChanges = 3
  /// The amount of audio that must follow a word before the word becomes stable, if the word has a
  /// measured time and decodes are not numbered.
  static let distance = FrameCount(.milliseconds(200), at: .speech)

  /// A word of the last hypothesis after normalization.
  private struct Seen {
    var text: String
    /// The number of words of the hypothesis up to the end of this word.
    var end: Int
    /// The hypothesis's words that make up this word: "two hundred" is one number.
    var words: ArraySlice<SpeechHypothesis.Word>
    /// The length of the utterance when the word and all words before it first appeared.
    var since: FrameCount
    /// The word's evidence, added up over the decodes since the word first appeared.
    var evidence = 0.0

    var confidence: Double {
      words.compactMap(\.confidence).min() ?? PartialStabilizer.unknownConfidence
    }
  }

  private var seen: [Seen] = []
  /// Whether the words' times are estimates.
  private var hasEstimatedTimes = false
  /// The number of the last decode.
  private var revision: Int?
  /// The number of changes of the word at each position, including its first appearance.
  private var changeCounts: [Int] = []
  /// The number of elements of `seen` that are stable.
  private var settledCount = 0

  /// The number of stable words at the beginning of the last hypothesis.
  var stableCount: Int {
    guard settledCount > 0 else { return 0 }
    let end = seen[settledCount - 1].end
    // A word may have several elements in `seen`: "can't" has "can" and "not". Such a word becomes
    // stable only with its last element.
    return settledCount < seen.count ? min(end, seen[settledCount].end - 1) : end
  }

  /// Adds the hypothesis for the first `processed` frames of the utterance.
  ///
  /// If `maySettle` is false, because the audio does not seem to be speech, no more words become
  /// stable.
  mutating func add(
    _ hypothesis: SpeechHypothesis, processed: FrameCount, maySettle: Bool = true
  ) {
    let isSameDecode = hypothesis.revision != nil && hypothesis.revision == revision
    (revision, hasEstimatedTimes) = (hypothesis.revision, hypothesis.hasEstimatedTimes)
    let normalized = WordNormalization.spoken.words(of: hypothesis.words.map(\.text))
    let same = zip(normalized, seen).prefix { $0.word == $1.text }.count
    var begin = 0
    seen = normalized.enumerated().map { index, element in
      let words = hypothesis.words[min(begin, element.end - 1)..<element.end]
      begin = element.end
      var now = Seen(text: element.word, end: element.end, words: words, since: processed)
      if index < same { (now.since, now.evidence) = (seen[index].since, seen[index].evidence) }
      return now
    }
    for index in seen.indices.dropFirst(isSameDecode ? same : 0) {
      let next = index + 1 < seen.count ? seen[index + 1].confidence : Self.nextConfidence
      seen[index].evidence += seen[index].confidence * seen[index].confidence * next
    }
    changeCounts += Array(repeating: 0, count: max(0, seen.count - changeCounts.count))
    for index in seen.indices.dropFirst(same) { changeCounts[index] += 1 }
    settledCount = min(settledCount, same)
    while maySettle, settledCount + 1 < seen.count, isSettled(settledCount, processed) {
      settledCount += 1
    }
  }

  private func isSettled(_ index: Int, _ processed: FrameCount) -> Bool {
    let seen = seen[index]
    if seen.words.contains(where: { $0.text.contains(where: \.isNumber) }) { return false }
    if revision != nil { return seen.evidence >= Self.neededEvidence }
    let end = seen.words.last?.frames.upperBound ?? 0
    return changeCounts[index] <= Self.maximumChanges && processed - seen.since >= Self.agreement
      && (hasEstimatedTimes || processed - end >= Self.distance)
  }
}
