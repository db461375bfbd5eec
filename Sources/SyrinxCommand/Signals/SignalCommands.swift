import AudioRecorderClient
import Glibc

/// What SIGUSR1 and SIGUSR2 say to a recording.
struct SignalCommands {
  private var isPaused = false

  /// SIGUSR1 begins the next file; SIGUSR2 pauses and resumes by turns.
  mutating func command(for signal: Int32) -> RecordingCommand? {
    switch signal {
    case SIGUSR1: return .roll
    case SIGUSR2:
      isPaused.toggle()
      return isPaused ? .pause : .resume
    default: return nil
    }
  }
}
