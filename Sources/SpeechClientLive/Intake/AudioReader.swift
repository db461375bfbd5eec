import AudioCore

/// Brings the audio of a source into the intake, and holds nothing else of the task: whatever the
/// source does, the task can go away.
enum AudioReader {
  typealias Audio = any AsyncSequence<AudioBuffer, any Error> & Sendable

  /// Runs until the source ends, or nothing more of it is wanted.
  static func run(_ audio: Audio, into intake: StreamPipe<IntakeQueue>) async {
    do {
      for try await buffer in audio {
        intake.change { $0.add(buffer) }
        guard await intake.room() else { return }
      }
      intake.change { $0.close() }
    } catch {
      // A source that was told to stop may say so by throwing.
      let failure = error is CancellationError && Task.isCancelled ? nil : error
      intake.change { $0.close(failure) }
    }
  }
}
