import AudioCore
public import SpeechClient
import SpeechEngine

/// The events of a recognizer and their times since the start of its task.
///
/// ```swift
/// let script = SpeechScript()
///   .saying(ScriptedUtterance("go forward"), at: .seconds(1))
///   .failing(SpeechClientError.engineFailed(reason: "gone"), at: .seconds(5))
/// ```
///
/// The order of the calls matters only for events at the same time. The stream ends with the last
/// event.
public struct SpeechScript: Sendable {
  /// An action of a script at a certain time.
  enum Action: Sendable {
    case report(SpeechRecognitionEvent)
    case fail(any Error)
    case end
  }

  struct Step: Sendable {
    var time: Duration
    var action: Action
    /// The utterance to which the step belongs, and whether the step ends it.
    var utterance: (number: Int, isClosing: Bool)?
  }

  private(set) var steps: [Step] = []
  private var utteranceCount = 0

  /// Creates an empty script, whose stream ends at once.
  public init() {}

  /// Returns the script with an utterance that begins at this time.
  ///
  /// Speech starts at this time. Each revision is a partial result; without revisions, there is a
  /// partial result at the end of each word. The final result comes after the silence that ends an
  /// utterance, with as many alternatives as requested. The timestamps of words count from the
  /// start of the task.
  public func saying(
    _ utterance: ScriptedUtterance, at begin: Duration,
    silence: Duration = EndpointPolicy().silence
  ) -> SpeechScript {
    var script = self
    let spoken = SpokenUtterance(utterance, number: utteranceCount, begin: begin)
    script.utteranceCount += 1
    script.steps += spoken.steps(silence: silence)
    return script
  }

  /// Returns the script with a given event at this time.
  ///
  /// If the event is a result, it keeps its utterance number.
  public func reporting(_ event: SpeechRecognitionEvent, at time: Duration) -> SpeechScript {
    with(.report(event), at: time)
  }

  /// Returns the script with an error that ends the stream at this time.
  public func failing(_ error: any Error, at time: Duration) -> SpeechScript {
    with(.fail(error), at: time)
  }

  /// Returns the script whose stream ends at this time instead of with its last event.
  public func ending(at time: Duration) -> SpeechScript {
    with(.end, at: time)
  }

  private func with(_ action: Action, at time: Duration) -> SpeechScript {
    var script = self
    script.steps.append(Step(time: time, action: action))
    return script
  }

  /// The steps ordered by time; steps at the same time keep their order.
  var ordered: [Step] {
    steps.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }
}

/// An utterance of a script with its start time.
private struct SpokenUtterance {
  private let utterance: ScriptedUtterance
  private let number: Int
  private let begin: Duration

  init(_ utterance: ScriptedUtterance, number: Int, begin: Duration) {
    (self.utterance, self.number, self.begin) = (utterance, number, begin)
  }

  func steps(silence: Duration) -> [SpeechScript.Step] {
    let end = utterance.words.last.map { begin + $0.end } ?? begin
    return [step(.speechStarted(at: begin), at: begin)]
      + partials.map { step(.result($0.result), at: begin + $0.processed) }
      + [
        step(.result(final), at: end + silence, isClosing: true),
        step(.speechEnded(at: end), at: end + silence, isClosing: true),
      ]
  }

  private func step(
    _ event: SpeechRecognitionEvent, at time: Duration, isClosing: Bool = false
  ) -> SpeechScript.Step {
    SpeechScript.Step(time: time, action: .report(event), utterance: (number, isClosing))
  }

  /// The partial results, each with the duration of the utterance processed so far.
  private var partials: [(processed: Duration, result: SpeechRecognitionResult)] {
    guard !utterance.revisions.isEmpty else {
      return utterance.words.map { word in
        let words = utterance.hypothesis(after: word.frames.upperBound).words
        // The last word may still change.
        return (word.end, partial(words, stable: words.count - 1))
      }
    }
    return utterance.revisions.map { revision in
      let processed = FrameCount(revision.processed, at: .speech)
      return (revision.processed, partial(utterance.hypothesis(after: processed).words, stable: 0))
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
    var result = SpeechRecognitionResult(
      utterance: number, bestTranscription: best, alternatives: readings.map(transcription),
      isFinal: true, speechRecognitionMetadata: SpeechRecognitionMetadata(best))
    result.language = utterance.language
    return result
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
