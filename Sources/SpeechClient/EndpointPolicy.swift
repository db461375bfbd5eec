/// When an utterance begins and ends, alike for all engines.
///
/// Durations count in steps of 10 ms. Whether a step is speech is judged by its level between
/// 120 Hz and 3 kHz, against the levels of the last six seconds; the first
/// second of a stream is judged as a whole. A duration that makes no sense counts as the nearest
/// that does: `longest` as one second at least, and a `tailPadding` in whole steps.
public struct EndpointPolicy: Hashable, Sendable {
  /// How much audio before the first speech belongs to the utterance, so that no first sound is
  /// lost; 300 ms.
  public var preRoll: Duration
  /// How much speech it takes to begin an utterance, because clicks are shorter; 30 ms.
  public var onset: Duration
  /// The silence that ends an utterance; 600 ms, doubled for an utterance that is under way when
  /// the stream begins.
  public var silence: Duration
  /// How long an utterance may be before any pause of `shortSilence` ends it; 12 s.
  public var comfortable: Duration
  /// How much silence ends an utterance that has become longer than `comfortable`; 150 ms.
  public var shortSilence: Duration
  /// How long an utterance is at most; what is said beyond belongs to the next; 20 s.
  ///
  /// A longer utterance is cut at the quietest step in the last tenth of this length. Engines need
  /// memory and time in proportion to the length.
  public var longest: Duration
  /// How much silence after its last sound the engine hears of an utterance, up to 10 s, so that no
  /// last word is cut; nil for the silence that ended it.
  ///
  /// With less the engine is spared the rest of the silence, which it hears only where speech goes
  /// on behind it; what is more is digital silence. An engine that wants more than this gets it.
  public var tailPadding: Duration?

  /// A policy from its durations; the default suits dictation and commands.
  public init(
    preRoll: Duration = .milliseconds(300), onset: Duration = .milliseconds(30),
    silence: Duration = .milliseconds(600), comfortable: Duration = .seconds(12),
    shortSilence: Duration = .milliseconds(150), longest: Duration = .seconds(20),
    tailPadding: Duration? = nil
  ) {
    self.preRoll = preRoll
    self.onset = onset
    self.silence = silence
    self.comfortable = comfortable
    self.shortSilence = shortSilence
    self.longest = longest
    self.tailPadding = tailPadding
  }
}
