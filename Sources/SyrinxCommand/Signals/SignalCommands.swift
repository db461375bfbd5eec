import AudioRecorderClient
import Glibc

/// What SIGUSR1 and SIGUSR2 say to a recording.
struct SignalCommands {
  private var isPaused = false

  /// SIGUSR1 begins the next file; SIGUSR2 pauses and resumes by turns.
  func command(for signal: Int32) -> RecordingCommand? {
    switch signal {
    case SIGUSR1: .roll
    case SIGUSR2: isPaused ? .resume : .pause
    default: nil
    }
  }

  /// The recording has done what it was told.
  mutating func succeeded(_ command: RecordingCommand) {
    switch command {
    case .pause: isPaused = true
    case .resume: isPaused = false
    default: break
    }
  }
}
