/// When an utterance begins and ends; the same for all engines.
///
/// Durations count in frames of the voice activity detector: 10 ms for the energy detector, 32 ms
/// for Silero. They are rounded up, `tailPadding` down. An invalid duration counts as the nearest
/// valid one; `longest` is at least one second.
public struct EndpointPolicy: Hashable, Sendable {
  /// How much audio before the first speech belongs to the utterance, so that its first sound is not
  /// lost; 300 ms.
  public var preRoll: Duration
  /// How much speech begins an utterance, so that a click does not; 30 ms.
  public var onset: Duration
  /// How much silence ends an utterance; 600 ms, doubled for an utterance that is under way when the
  /// stream begins.
  public var silence: Duration
  /// The length from which on a pause of `shortSilence` ends an utterance; 12 s.
  public var comfortable: Duration
  /// How much silence ends an utterance that has become longer than `comfortable`; 150 ms.
  public var shortSilence: Duration
  /// The maximum length of an utterance; 20 s.
  ///
  /// A longer utterance ends in a pause, or is cut at the quietest frame in the last tenth of this
  /// length; the next utterance continues from there. Engines need memory and time in proportion to
  /// the length; some accept less, and get shorter utterances.
  public var longest: Duration
  /// How much silence the engine gets after the last sound of an utterance, up to 10 s, so that the
  /// last word is not cut; nil for the silence that ended the utterance, or 200 ms if the engine
  /// decodes in pauses.
  ///
  /// If it is less than the pause, the engine gets the rest only if speech resumes; if it is more,
  /// digital silence is added. An engine that needs more gets more.
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
