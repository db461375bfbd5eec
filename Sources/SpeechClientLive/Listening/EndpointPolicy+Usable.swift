import SpeechClient
import SpeechEngine

extension EndpointPolicy {
  /// After this much silence an engine may decode the utterance so far, because it may be complete.
  static let pause = Duration.milliseconds(200)

  /// The usable policy, with utterances no longer than the engine accepts.
  ///
  /// An engine that anticipates the end of an utterance gets no more silence than it waits for.
  func fitted(to engine: SpeechEngine) -> EndpointPolicy {
    var policy = usable
    if engine.anticipatesEnd { policy.tailPadding = policy.tailPadding ?? Self.pause }
    let longest = engine.utteranceLength.upperBound - (policy.tailPadding ?? .zero)
    policy.maximumLength = min(policy.maximumLength, max(longest, .seconds(1)))
    return policy
  }

  /// The policy with every duration in a valid range: an utterance begins with speech and ends.
  var usable: EndpointPolicy {
    let step = Duration.milliseconds(10)
    let hour = Duration.seconds(3600)
    return EndpointPolicy(
      preRoll: preRoll.clamped(.zero, .seconds(10)), onset: onset.clamped(step, .seconds(10)),
      silence: silence.clamped(step, hour), preferredLength: preferredLength.clamped(.zero, hour),
      shortSilence: shortSilence.clamped(step, hour),
      maximumLength: maximumLength.clamped(.seconds(1), hour),
      tailPadding: tailPadding?.clamped(.zero, .seconds(10)))
  }
}

extension Duration {
  fileprivate func clamped(_ least: Duration, _ most: Duration) -> Duration {
    min(max(self, least), most)
  }
}
