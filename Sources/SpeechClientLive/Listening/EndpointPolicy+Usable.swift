import SpeechClient

extension EndpointPolicy {
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
