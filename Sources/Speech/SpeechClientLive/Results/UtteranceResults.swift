import AudioCore
import SpeechClient
import SpeechEngine

/// Makes the results and events of a task from an engine's hypotheses.
///
/// The results are numbered and share one timeline. Every utterance that is not dropped has one
/// final result.
struct UtteranceResults {
  /// Whether words of partial results become stable.
  let hasStableWords: Bool
  /// Whether the engine recognizes only key phrases.
  let spotsPhrases: Bool
  /// The spelling of the request's phrases, which is applied after the words have been judged and
  /// divided into results.
  private let spelling: PhraseSpelling
  private var stabilizer = PartialStabilizer()
  private var number = 0
  private var start: FrameCount = 0
  /// The end of the last word of a final result, as a frame of the stream.
  private var end: FrameCount = 0
  private var shown: [String] = []
  private var shownStableCount = 0
  /// The ranges of the words that were removed from the last final result: words too short to be
  /// spoken, and improbable words.
  private(set) var omitted: [Range<Duration>] = []

  /// - Parameters:
  ///   - hasStableWords: whether words of partial results may become stable; false for joined
  ///     utterances, in which a later word may move earlier words to another result.
  ///   - spotsPhrases: whether the engine recognizes only key phrases.
  ///   - spelling: the spelling of the request's phrases.
  init(
    hasStableWords: Bool = true, spotsPhrases: Bool = false,
    spelling: PhraseSpelling = PhraseSpelling([])
  ) {
    (self.hasStableWords, self.spotsPhrases) = (hasStableWords, spotsPhrases)
    self.spelling = spelling
  }

  /// Begins an utterance at this frame of the stream at 16 kHz.
  mutating func begin(at frame: FrameCount) {
    stabilizer = PartialStabilizer()
    (shown, shownStableCount) = ([], 0)
    start = frame
  }

  /// Returns a partial result for the first `processed` frames of the utterance; nil if nothing has
  /// changed.
  ///
  /// `plausibility` prevents words that the engine finds in noise from becoming stable; it is nil
  /// for an engine that recognizes only requested phrases.
  mutating func partial(
    _ hypothesis: SpeechHypothesis, processed: FrameCount, plausibility: Plausibility?
  ) -> SpeechRecognitionResult? {
    let maySettle = plausibility?.maySettle(hypothesis) ?? true
    let partial = newWords(hypothesis, processed)
    stabilizer.add(partial, processed: processed, maySettle: hasStableWords && maySettle)
    let words = spelling.applied(to: partial.words)
    let stableCount = spelling.settledCount(stabilizer.stableCount, of: partial.words)
    let texts = words.map(\.text)
    guard !texts.isEmpty, texts != shown || stableCount != shownStableCount else { return nil }
    (shown, shownStableCount) = (texts, stableCount)
    var result = SpeechRecognitionResult(
      utterance: number, bestTranscription: transcription(partial, words.map(\.unsure)),
      isFinal: false, stableSegmentCount: stableCount)
    result.language = hypothesis.language
    return result
  }

  /// Returns the final result; nil if no word can be speech and the utterance is dropped.
  ///
  /// `plausibility` determines whether the words can be speech; it is nil for an engine that
  /// recognizes only requested phrases.
  mutating func final(
    _ hypothesis: SpeechHypothesis, processed: FrameCount, plausibility: Plausibility?
  ) -> SpeechRecognitionResult? {
    let isSpeech = plausibility?.isSpeech(hypothesis) ?? true
    let isSpoken = { (word: SpeechHypothesis.Word) in
      plausibility?.isSpoken(word, in: hypothesis) ?? true
    }
    let words = newWords(hypothesis, processed).words
    let spoken = words.filter(isSpoken)
    guard isSpeech, let last = spoken.last else {
      lose()
      return nil
    }
    defer {
      number += 1
      end = start + last.frames.upperBound
    }
    omitted = transcription(hypothesis, words.filter { !isSpoken($0) }).segments.map {
      $0.timestamp..<($0.timestamp + $0.duration)
    }
    let alternatives = hypothesis.alternatives.map {
      transcription(hypothesis, spelling.applied(to: $0.within(processed).filter(isSpoken)))
    }
    var best = transcription(hypothesis, spelling.applied(to: spoken))
    best.addAlternatives(from: alternatives)
    var seen: Set<[String]> = [[], best.keys]
    var result = SpeechRecognitionResult(
      utterance: number, bestTranscription: best,
      alternatives: alternatives.filter { seen.insert($0.keys).inserted }, isFinal: true,
      speechRecognitionMetadata: SpeechRecognitionMetadata(best))
    result.language = hypothesis.language
    return result
  }

  /// Ends an utterance without a final result; if it had partial results, its number is not reused.
  mutating func lose() {
    omitted = []
    if !shown.isEmpty { number += 1 }
    shown = []
  }

  /// Returns the hypothesis without words of the previous utterance.
  ///
  /// After a cut, an utterance repeats the end of the previous utterance. Measured times show which
  /// words are repeated; with estimated times, all words are kept.
  private func newWords(_ hypothesis: SpeechHypothesis, _ processed: FrameCount) -> SpeechHypothesis
  {
    var new = hypothesis
    new.words = hypothesis.words.within(processed).filter {
      hypothesis.hasEstimatedTimes || start + $0.middle >= end
    }
    return new
  }

  /// Returns a transcription of words.
  ///
  /// - Parameters:
  ///   - hypothesis: the hypothesis that contains the words.
  ///   - words: the best words of the hypothesis, or an alternative.
  private func transcription(
    _ hypothesis: SpeechHypothesis, _ words: [SpeechHypothesis.Word]
  ) -> Transcription {
    let segments = words.map { word in
      TranscriptionSegment(
        substring: word.text,
        timestamp: (start + word.frames.lowerBound).duration(at: .speech),
        duration: (word.frames.upperBound - word.frames.lowerBound).duration(at: .speech),
        confidence: word.confidence)
    }
    return Transcription(
      segments: segments, hasEstimatedTimes: !words.isEmpty && hypothesis.hasEstimatedTimes)
  }
}

extension UtteranceResults {
  /// Returns the events of a decoded utterance: the start, the result, and the end of each part,
  /// and the dropped sounds.
  ///
  /// The first start and the last end are not included.
  mutating func events(
    of utterance: Utterance, _ hypothesis: SpeechHypothesis
  ) -> [SpeechRecognitionEvent] {
    var events: [SpeechRecognitionEvent] = []
    let parts = utterance.parts(of: hypothesis)
    var sounds = utterance.wordlessSounds(in: hypothesis)[...]
    for (index, part) in parts.enumerated() {
      let words = part.utterance.frames(of: part.hypothesis.words)
      let before = sounds.prefix { $0.upperBound <= words?.lowerBound ?? 0 }
      sounds = sounds.dropFirst(before.count)
      for sound in before { events += Self.lost(sound) }
      if index > 0 { begin(at: part.utterance.start) }
      let sound = part.utterance.sound.timestamps(at: .speech)
      events.append(.speechStarted(at: sound.lowerBound))
      let partEvents = finalEvents(of: part, textLength: hypothesis.words.count)
      let within = sounds.prefix { $0.lowerBound < words?.upperBound ?? 0 }
      sounds = sounds.dropFirst(within.count)
      events += partEvents
      // If the part has no result, it was dropped as a whole, with its wordless sounds.
      if case .result = partEvents.first {
        events += within.map { .dropped($0.timestamps(at: .speech), reason: .unintelligible) }
      }
      events.append(.speechEnded(at: sound.upperBound))
    }
    for sound in sounds { events += Self.lost(sound) }
    // The first `speechStarted` has already been reported, and the caller reports the last
    // `speechEnded`.
    return Array(events.dropFirst().dropLast())
  }

  /// Returns the events of a sound without words, which counts as a separate utterance.
  private static func lost(_ sound: Range<FrameCount>) -> [SpeechRecognitionEvent] {
    let times = sound.timestamps(at: .speech)
    return [
      .speechStarted(at: times.lowerBound), .dropped(times, reason: .unintelligible),
      .speechEnded(at: times.upperBound),
    ]
  }

  /// Returns a partial result for the utterance so far; nil if nothing has changed.
  ///
  /// Only the first part of an utterance has partial results; later parts have only a final result.
  mutating func partial(
    of utterance: Utterance, _ hypothesis: SpeechHypothesis
  ) -> SpeechRecognitionResult? {
    guard let part = utterance.parts(of: hypothesis).first else { return nil }
    return partial(
      part.hypothesis, processed: utterance.end - utterance.start,
      plausibility: plausibility(of: part.utterance, textLength: hypothesis.words.count))
  }

  private mutating func finalEvents(
    of part: Utterance.Part, textLength: Int
  ) -> [SpeechRecognitionEvent] {
    let utterance = part.utterance
    let result = self.final(
      part.hypothesis, processed: utterance.end - utterance.start,
      plausibility: plausibility(of: utterance, textLength: textLength))
    if let result {
      let lost = omitted.map { SpeechRecognitionEvent.dropped($0, reason: .unintelligible) }
      return [SpeechRecognitionEvent.result(result)] + lost
    }
    return spotsPhrases
      ? [] : [.dropped(utterance.sound.timestamps(at: .speech), reason: .unintelligible)]
  }

  /// Returns the plausibility check for the words of a part; nil for key phrases.
  ///
  /// Key phrases are not checked, because a phrase may be short in long speech and has its own
  /// threshold.
  ///
  /// - Parameters:
  ///   - part: the part.
  ///   - textLength: the number of words in all parts together.
  private func plausibility(of part: Utterance, textLength: Int) -> Plausibility? {
    guard !spotsPhrases else { return nil }
    return Plausibility(
      isVoiced: part.voicing.isVoiced, sound: part.sound.upperBound - part.sound.lowerBound,
      certainty: part.certainty, textLength: textLength)
  }
}

extension [SpeechHypothesis.Word] {
  /// Returns the words, truncated at the end of the utterance, where its padding begins.
  fileprivate func within(_ processed: FrameCount) -> Self {
    map { word in
      var word = word
      let begin = Swift.min(word.frames.lowerBound, processed)
      word.frames = begin..<Swift.max(begin, Swift.min(word.frames.upperBound, processed))
      return word
    }
  }
}

extension SpeechHypothesis.Word {
  fileprivate var unsure: Self {
    var word = self
    word.confidence = nil
    return word
  }

  /// The middle of the word's frames.
  var middle: FrameCount {
    FrameCount((frames.lowerBound.rawValue + frames.upperBound.rawValue) / 2)
  }
}

extension String {
  /// The word in lower case, without hyphens and outer punctuation.
  ///
  /// A word of punctuation alone keeps its punctuation.
  var wordKey: String {
    let small = lowercased().replacing("\u{2019}", with: "'")
    let inner = small.drop(while: \.isPunctuation).reversed().drop(while: \.isPunctuation)
      .reversed()
    return inner.isEmpty ? small : String(inner.filter { !Self.hyphens.contains($0) })
  }

  private static let hyphens: Set<Character> = ["-", "\u{2010}", "\u{2011}"]
}

extension Transcription {
  /// The words in the form in which they are compared.
  fileprivate var keys: [String] { segments.map(\.substring.wordKey) }

  /// Adds to each word the corresponding words of the alternatives.
  fileprivate mutating func addAlternatives(from readings: [Transcription]) {
    for reading in readings {
      for (index, text) in reading.substitutes(for: self)
      where !segments[index].alternativeSubstrings.contains(text) {
        segments[index].alternativeSubstrings.append(text)
      }
    }
  }

  /// Returns this transcription's words that differ from the aligned words of `other`, each with
  /// the index of the aligned word.
  ///
  /// An inserted word is returned together with the substituted word beside it.
  private func substitutes(for other: Transcription) -> [(Int, String)] {
    var found: [(index: Int, words: [String])] = []
    var added: [String] = []
    var rest = segments[...]
    var index = 0
    var isOpen = false
    for word in WordErrorRate(reference: other.keys, hypothesis: keys).alignment {
      let texts = word.hypothesis == nil ? [] : [rest.removeFirst().substring]
      switch word.kind {
      case .match: (added, isOpen) = ([], false)
      case .insertion where isOpen: found[found.count - 1].words += texts
      case .insertion, .deletion: added += texts
      case .substitution:
        found.append((index, added + texts))
        (added, isOpen) = ([], true)
      }
      index += word.reference == nil ? 0 : 1
    }
    return found.map { ($0.index, $0.words.joinedAsWritten) }
  }
}
