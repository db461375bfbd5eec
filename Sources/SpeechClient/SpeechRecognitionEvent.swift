/// What `recognition` reports, in the order in which it happens in the audio.
///
/// Cases may be added: a `switch` over it needs a `default`.
public enum SpeechRecognitionEvent: Hashable, Sendable {
  /// Speech, or another sound like it, begins here; whether it has words is not known yet.
  ///
  /// The time is that of the first sound, counted from the beginning of the audio, as all times
  /// are.
  case speechStarted(at: Duration)

  /// What was recognized of an utterance, so far or finally.
  case result(SpeechRecognitionResult)

  /// The utterance ended here; the event follows its final result, if it has one.
  case speechEnded(at: Duration)

  /// All audio up to here is recognized; reported every five seconds of audio without speech.
  case progressed(to: Duration)

  /// The backlog of a live source: the engine is slower than the audio comes.
  ///
  /// It is reported from one second on, whenever it has changed by a second, and with zero when the
  /// engine has caught up; also while the engine is at work and returns nothing.
  case lagging(by: Duration)

  /// This stretch was not recognized, for this reason.
  ///
  /// What was said before it is an utterance of its own; times continue after it. An utterance in
  /// which the engine failed has no final result, and ends right after this event; its partial
  /// results are void, and no other utterance has its number. The engine begins the next one afresh.
  ///
  /// A gap of at most 50 ms in one format does not end an utterance: it counts as silence. Gaps under
  /// a millisecond are reported once they add up to one: the stretch ends with the last of them and
  /// is as long as all of them.
  case dropped(Range<Duration>, reason: DropReason)
}
