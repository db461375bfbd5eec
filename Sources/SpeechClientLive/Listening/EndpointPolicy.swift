import AudioCore

/// When an utterance begins and ends.
struct EndpointPolicy: Equatable, Sendable {
  /// How much audio before the first speech belongs to the utterance, so that no first sound is
  /// lost.
  var preRoll = Duration.milliseconds(300)
  /// How much speech it takes to begin an utterance; clicks are shorter.
  var onset = Duration.milliseconds(30)
  /// How much silence ends an utterance.
  var silence = Duration.milliseconds(600)
  /// How long an utterance may be before any pause of `shortSilence` ends it.
  var comfortable = Duration.seconds(12)
  /// How much silence ends an utterance that has become long.
  var shortSilence = Duration.milliseconds(150)
  /// How long an utterance is at most; what is said beyond belongs to the next.
  var longest = Duration.seconds(20)
}
