import AudioCore
import SpeechClient
import SpeechEngine

/// Makes the results of a task from an engine's hypotheses: numbered, on one time-line, one final
/// each, but for those that are lost.
struct UtteranceResults {
  private var stabiliser = PartialStabiliser()
  private var number = 0
  private var start: FrameCount = 0
  /// Where in the stream the last word of a final result ended.
  private var end: FrameCount = 0
  private var shown: [String] = []
  private var shownStableCount = 0

  /// An utterance begins at this frame of the stream at 16 kHz.
  mutating func begin(at frame: FrameCount) {
    stabiliser.reset()
    (shown, shownStableCount) = ([], 0)
    start = frame
  }

  /// A partial result after so many frames of the utterance, where there is something new to show.
  ///
  /// - Parameter plausibility: what the words are measured by so far, because none of a noise may
  ///   be called stable; nil as with `final`.
  mutating func partial(
    _ hypothesis: SpeechHypothesis, heard: FrameCount, plausibility: Plausibility?
  ) -> SpeechRecognitionResult? {
    let isSpeech = plausibility?.isVoice(hypothesis.words) ?? true
    let words = stabiliser.add(
      newWords(hypothesis, heard), heard: heard, maySettle: isSpeech)
    let texts = words.map(\.text)
    guard !words.isEmpty, texts != shown || stabiliser.stableCount != shownStableCount else {
      return nil
    }
    (shown, shownStableCount) = (texts, stabiliser.stableCount)
    return SpeechRecognitionResult(
      utterance: number, bestTranscription: transcription(words.map(\.unsure)), isFinal: false,
      stableSegmentCount: stabiliser.stableCount)
  }

  /// The final result; nil where the utterance was no speech.
  ///
  /// Where a partial result had words all the same, the final one takes them back, but for those
  /// that had been called stable.
  ///
  /// - Parameter plausibility: what the words are measured by; nil for those of an engine that
  ///   hears nothing else than it was asked for.
  mutating func final(
    _ hypothesis: SpeechHypothesis, heard: FrameCount, plausibility: Plausibility?
  ) -> SpeechRecognitionResult? {
    let isSpeech = plausibility?.isSpeech(hypothesis.words) ?? true
    let words = stabiliser.keeping(isSpeech ? newWords(hypothesis, heard) : [])
    guard !words.isEmpty || !shown.isEmpty else { return nil }
    defer {
      number += 1
      if let last = words.last { end = start + last.frames.upperBound }
    }
    let alternatives = hypothesis.alternatives.map { transcription($0.within(heard)) }
    var best = transcription(words)
    best.addAlternatives(from: alternatives)
    return SpeechRecognitionResult(
      utterance: number, bestTranscription: best,
      alternatives: best.segments.isEmpty
        ? [] : alternatives.filter { $0.formattedString != best.formattedString },
      isFinal: true, speechRecognitionMetadata: SpeechRecognitionMetadata(best))
  }

  /// The utterance has no final result; where it had partial ones, its number is not used again.
  mutating func lose() {
    if !shown.isEmpty { number += 1 }
    shown = []
  }

  /// The words without those that the utterance before had: where that was cut, this one repeats the
  /// end of it.
  private func newWords(_ hypothesis: SpeechHypothesis, _ heard: FrameCount)
    -> [SpeechHypothesis.Word]
  {
    hypothesis.words(within: heard).filter { start + $0.middle >= end }
  }

  private func transcription(_ words: [SpeechHypothesis.Word]) -> Transcription {
    Transcription(
      segments: words.map { word in
        TranscriptionSegment(
          substring: word.text,
          timestamp: (start + word.frames.lowerBound).duration(at: .speech),
          duration: (word.frames.upperBound - word.frames.lowerBound).duration(at: .speech),
          confidence: word.confidence)
      })
  }
}

extension SpeechHypothesis {
  fileprivate func words(within heard: FrameCount) -> [Word] { words.within(heard) }
}

extension [SpeechHypothesis.Word] {
  /// The words, none of them reaching beyond the utterance into the padding behind it.
  fileprivate func within(_ heard: FrameCount) -> Self {
    map { word in
      var word = word
      let begin = Swift.min(word.frames.lowerBound, heard)
      word.frames = begin..<Swift.max(begin, Swift.min(word.frames.upperBound, heard))
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
}

extension Transcription {
  /// Notes with each word what other readings have at its place.
  fileprivate mutating func addAlternatives(from readings: [Transcription]) {
    for index in segments.indices {
      let segment = segments[index]
      for reading in readings {
        let text = reading.text(within: segment)
        if !text.isEmpty, text != segment.substring,
          !segments[index].alternativeSubstrings.contains(text)
        {
          segments[index].alternativeSubstrings.append(text)
        }
      }
    }
  }

  /// The words whose middle lies in the place of another.
  private func text(within other: TranscriptionSegment) -> String {
    segments.filter { segment in
      let middle = segment.timestamp + segment.duration / 2
      return middle >= other.timestamp && middle < other.timestamp + other.duration
    }.map(\.substring).joined(separator: " ")
  }
}
