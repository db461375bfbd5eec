import AudioCore

/// Brings the audio of a source into the intake, and holds nothing else of the task: whatever the
/// source does, the task can go away.
enum AudioReader {
  typealias Audio = any AsyncSequence<AudioBuffer, any Error> & Sendable

  /// Runs until the source ends, or nothing more of it is wanted.
  static func run(_ audio: Audio, into intake: AudioIntake) async {
    do {
      for try await buffer in audio {
        guard await intake.add(buffer) else { return }
      }
      intake.close()
    } catch {
      // A source that was told to stop may say so by throwing.
      intake.close(error is CancellationError && Task.isCancelled ? nil : error)
    }
  }
}
