import AudioCore

/// Moves the audio of a source into the intake.
///
/// It holds nothing else of the task, so that the task can end whatever the source does.
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
      // A source may throw because its task was cancelled.
      let failure = error is CancellationError && Task.isCancelled ? nil : error
      intake.change { $0.close(failure) }
    }
  }
}
