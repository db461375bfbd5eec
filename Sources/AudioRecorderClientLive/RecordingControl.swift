import AudioRecorderClient
import Synchronization

/// The commands on their way to a recording.
final class RecordingControl: Sendable {
  // Held for a few instructions by those who command and by the recording's thread.
  private let commands = Mutex<[RecordingCommand]>([])

  func send(_ command: RecordingCommand) {
    commands.withLock { $0.append(command) }
  }

  /// The commands since the last call, in order.
  func takeAll() -> [RecordingCommand] {
    commands.withLock { commands in
      defer { commands = [] }
      return commands
    }
  }
}
