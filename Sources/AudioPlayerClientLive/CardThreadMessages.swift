import AudioThreads

/// What the control side tells the card's thread.
enum CardCommand: BitwiseCopyable {
  /// A voice to mix; the reference has been retained for the card's thread.
  case add(Unmanaged<Voice>)
  /// The end of the thread.
  case quit
}

/// What the card's thread tells the reporter.
enum CardEvent: BitwiseCopyable {
  /// A voice that has been heard to its end; its reference comes back.
  case finished(Unmanaged<Voice>)
  /// Silence that a voice was heard as, because its source was late; the reference stays with the
  /// card's thread.
  case starved(Unmanaged<Voice>, frames: Int)
  /// Silence that a voice was heard as, because the device was in trouble; the reference stays with
  /// the card's thread.
  case silence(Unmanaged<Voice>, frames: Int)
  /// The lowest gain that the sum of all voices needed since it was told last, to stay within ±1.
  case limited(gain: Float)
  /// A lost device plays again.
  case returned
}

/// The ways between the card's thread and the others; no way waits for another.
final class CardLink: Sendable {
  /// Never full, however long the card's thread does not read: no more voices are on their way than
  /// there are places for, and the end is said once.
  let commands = Ring<CardCommand>(
    capacity: VoiceTable.limit + 1, resident: VoiceTable.limit + 1)
  let events = Ring<CardEvent>(capacity: 1_024, resident: 1_024)
  /// What the card's thread waits for while a source is late.
  let sourceWish = Wish()
  /// Wakes the reporter.
  let news: WakeUp
  /// The gain of everything.
  let volume: MasterVolume

  init(volume: MasterVolume) throws(WakeUpError) {
    self.volume = volume
    news = try WakeUp()
  }

  deinit {
    // Both threads are gone: what one of them did not fetch any more is let go here.
    while let command = commands.tryRead() {
      if case .add(let voice) = command { voice.release() }
    }
    while let event = events.tryRead() {
      if case .finished(let voice) = event { voice.release() }
    }
  }
}
