import AudioCore
import SpeechClient
import SpeechEngine

/// An utterance of a script at its place in time.
struct SpokenUtterance {
  private let utterance: ScriptedUtterance
  private let number: Int
  private let begin: Duration

  init(_ utterance: ScriptedUtterance, number: Int, begin: Duration) {
    (self.utterance, self.number, self.begin) = (utterance, number, begin)
  }

  func steps(silence: Duration) -> [SpeechScript.Step] {
    let end = utterance.words.last.map { begin + $0.end } ?? begin
    return [step(.speechStarted(at: begin), at: begin)]
      + partials.map { step(.result($0.result), at: begin + $0.heard) }
      + [
        step(.result(final), at: end + silence, isClosing: true),
        step(.speechEnded(at: end), at: end + silence, isClosing: true),
      ]
  }

  private func step(
    _ event: SpeechRecognitionEvent, at time: Duration, isClosing: Bool = false
  ) -> SpeechScript.Step {
    SpeechScript.Step(time: time, action: .tell(event), utterance: (number, isClosing))
  }

  /// The partial results, and how much of the utterance has been heard by then.
  private var partials: [(heard: Duration, result: SpeechRecognitionResult)] {
    guard !utterance.revisions.isEmpty else {
      return utterance.words.map { word in
        let words = utterance.hypothesis(after: word.frames.upperBound).words
        // The word that was heard last may still become another one.
        return (word.end, partial(words, stable: words.count - 1))
      }
    }
    return utterance.revisions.map { revision in
      let heard = FrameCount(revision.heard, at: .speech)
      return (revision.heard, partial(utterance.hypothesis(after: heard).words, stable: 0))
    }
  }

  private func partial(
    _ words: [SpeechHypothesis.Word], stable: Int
  ) -> SpeechRecognitionResult {
    SpeechRecognitionResult(
      utterance: number, bestTranscription: transcription(words), isFinal: false,
      stableSegmentCount: stable)
  }

  private var final: SpeechRecognitionResult {
    let best = transcription(utterance.words)
    let readings = utterance.whole(alternatives: .max).alternatives
    return SpeechRecognitionResult(
      utterance: number, bestTranscription: best, alternatives: readings.map(transcription),
      isFinal: true, speechRecognitionMetadata: SpeechRecognitionMetadata(best))
  }

  private func transcription(_ words: [SpeechHypothesis.Word]) -> Transcription {
    Transcription(
      segments: words.map { word in
        TranscriptionSegment(
          substring: word.text, timestamp: begin + word.begin, duration: word.end - word.begin,
          confidence: word.confidence)
      })
  }
}

extension SpeechHypothesis.Word {
  fileprivate var begin: Duration { frames.lowerBound.duration(at: .speech) }
  fileprivate var end: Duration { frames.upperBound.duration(at: .speech) }
}
