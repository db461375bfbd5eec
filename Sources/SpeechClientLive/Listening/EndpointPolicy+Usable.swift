import SpeechClient
import SpeechEngine

extension EndpointPolicy {
  /// After so much silence an engine may decode what it has heard, because that may be all.
  static let pause = Duration.milliseconds(200)

  /// The usable policy, with utterances no longer than the engine can take; one that anticipates their
  /// end hears no more silence than it has to wait for before it does.
  func fitted(to engine: SpeechEngine) -> EndpointPolicy {
    var policy = usable
    if engine.anticipatesEnd { policy.tailPadding = policy.tailPadding ?? Self.pause }
    let longest = engine.utteranceLength.upperBound - (policy.tailPadding ?? .zero)
    policy.longest = min(policy.longest, max(longest, .seconds(1)))
    return policy
  }

  /// The policy with every duration in a range that makes sense: an utterance begins with speech,
  /// and has an end.
  var usable: EndpointPolicy {
    let step = Duration.milliseconds(10)
    let hour = Duration.seconds(3600)
    return EndpointPolicy(
      preRoll: preRoll.clamped(.zero, .seconds(10)), onset: onset.clamped(step, .seconds(10)),
      silence: silence.clamped(step, hour), comfortable: comfortable.clamped(.zero, hour),
      shortSilence: shortSilence.clamped(step, hour), longest: longest.clamped(.seconds(1), hour),
      tailPadding: tailPadding?.clamped(.zero, .seconds(10)))
  }
}

extension Duration {
  fileprivate func clamped(_ least: Duration, _ most: Duration) -> Duration {
    min(max(self, least), most)
  }
}
