/// What `recognition` tells while it hears, in the order in which it happens in the audio.
///
/// Further cases may come: a `switch` over it has a `default`.
public enum SpeechRecognitionEvent: Hashable, Sendable {
  /// Somebody, or something as loud, begins here; whether there are words in it is not known yet.
  ///
  /// The time is that of the first sound, counted from the beginning of the audio, as all times
  /// are.
  case speechStarted(at: Duration)

  /// What was understood of an utterance, so far or for good.
  case result(SpeechRecognitionResult)

  /// The utterance ended here, after its final result where it had one.
  case speechEnded(at: Duration)

  /// All up to here is understood; told every five seconds of audio in which nobody speaks.
  case progressed(to: Duration)

  /// So much audio of a live source waits to be heard: the engine is slower than it comes.
  ///
  /// It is told from one second on, whenever that has become a second more or less, and with zero
  /// when the engine has caught up; also while the engine is at work and returns nothing.
  case lagging(by: Duration)

  /// This stretch was not understood, and why.
  ///
  /// What was said before it is an utterance of its own; times go on behind it. An utterance in
  /// which the engine failed has no final result, and ends right after; where it had partial ones
  /// they are void, and no other utterance has their number. The engine hears the next one afresh.
  ///
  /// A gap of at most 50 ms in one format ends no utterance: it is heard as silence. Gaps under a
  /// millisecond are told together, with the one that makes it a millisecond: their stretch ends
  /// there and is as long as all of them.
  case dropped(Range<Duration>, reason: DropReason)
}
