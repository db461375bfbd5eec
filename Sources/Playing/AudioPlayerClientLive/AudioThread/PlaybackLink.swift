import AudioCore
import AudioThreads

/// The connections between the audio thread and the other threads; neither side waits for the
/// other.
final class PlaybackLink: Sendable {
  /// A command to the audio thread.
  enum Command: BitwiseCopyable {
    /// Mix this voice; the reference has been retained for the audio thread.
    case add(Unmanaged<Voice>)
    /// End the thread.
    case quit
  }

  /// An event from the audio thread to the reporter.
  enum Event: BitwiseCopyable {
    /// A voice has been played to its end; the reporter owns the reference now.
    case finished(Unmanaged<Voice>)
    /// A voice was silent because its source was late; the audio thread keeps the reference.
    case starved(Unmanaged<Voice>, frames: Int)
    /// A voice was silent because of the device; the audio thread keeps the reference.
    case silence(Unmanaged<Voice>, frames: Int)
    /// The lowest gain, since the last report, that kept the sum of all voices within ±1.
    case limited(gain: Float)
    /// A lost device plays again.
    case returned
  }

  /// Never full, however long the audio thread does not read: no more voices are on their way than
  /// fit into the table, and `quit` is sent once.
  let commands = RingBuffer<Command>(capacity: VoiceTable.limit + 1, resident: VoiceTable.limit + 1)
  let events = RingBuffer<Event>(capacity: 1_024, resident: 1_024)
  /// Set while the audio thread waits for a late source.
  let sourceRequest = WakeUpRequest()
  /// Wakes the reporter.
  let news: WakeUp
  let volume: MasterVolume
  /// Holds the time of a virtual card until the reporter has passed on all news.
  let newsHold: TimeHold?
  /// Holds the time of a virtual card until the audio thread has taken a command.
  let commandHold: TimeHold?

  /// - Parameter lockstep: the lockstep of a virtual card.
  init(volume: MasterVolume, lockstep: Lockstep? = nil) throws(WakeUpError) {
    self.volume = volume
    news = try WakeUp()
    newsHold = TimeHold(lockstep, "the reporter of a player")
    commandHold = TimeHold(lockstep, "a command to a player")
  }

  /// Wakes the reporter; for any thread.
  func wakeReporter() {
    newsHold?.begin()
    news.signal()
  }

  deinit {
    // Both threads have ended: the references still in the rings are released here.
    while let command = commands.tryRead() {
      if case .add(let voice) = command { voice.release() }
    }
    while let event = events.tryRead() {
      if case .finished(let voice) = event { voice.release() }
    }
  }
}
