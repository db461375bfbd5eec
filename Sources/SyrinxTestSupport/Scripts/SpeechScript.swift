import AudioCore
public import SpeechClient
import SpeechEngine

/// What a recogniser tells, and when, counted on a clock from the beginning of its task.
///
/// ```swift
/// let script = SpeechScript()
///   .saying(ScriptedUtterance("go forward"), at: .seconds(1))
///   .failing(SpeechClientError.engineFailed(reason: "gone"), at: .seconds(5))
/// ```
///
/// The order of the calls matters only where times are the same. The stream ends with what comes
/// last.
public struct SpeechScript: Sendable {
  /// What happens at a time.
  enum Action: Sendable {
    case tell(SpeechRecognitionEvent)
    case fail(any Error)
    case end
  }

  struct Step: Sendable {
    var time: Duration
    var action: Action
    /// The utterance that it belongs to, and whether that cannot end without it.
    var utterance: (number: Int, isClosing: Bool)?
  }

  private(set) var steps: [Step] = []
  private var utteranceCount = 0

  /// A script without a word, whose stream ends at once.
  public init() {}

  /// The script with an utterance that begins at this time.
  ///
  /// Speech starts then. Each revision is a partial result when it is due, without revisions each
  /// word is when it has been said; the final result comes, with as many other readings as the
  /// request wants, after the silence that ends an utterance. Times of words are those of the
  /// clock.
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

  /// The script with an event of your own at this time; a result has the number that it has.
  public func telling(_ event: SpeechRecognitionEvent, at time: Duration) -> SpeechScript {
    with(.tell(event), at: time)
  }

  /// The script with an error that ends the stream at this time.
  public func failing(_ error: any Error, at time: Duration) -> SpeechScript {
    with(.fail(error), at: time)
  }

  /// The script whose stream ends at this time, and not with what comes last before it.
  public func ending(at time: Duration) -> SpeechScript {
    with(.end, at: time)
  }

  private func with(_ action: Action, at time: Duration) -> SpeechScript {
    var script = self
    script.steps.append(Step(time: time, action: action))
    return script
  }

  /// The steps in the order of their times; those of the same time as they were written.
  var ordered: [Step] {
    steps.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }
}
