import AudioCore

/// Brings the audio of a source to a task's recogniser, no faster than it is heard and its results
/// are taken.
enum AudioPump {
  typealias Audio = any AsyncSequence<AudioBuffer, any Error> & Sendable

  /// How much of what a stream still holds is heard after the pump was told to stop.
  static let longestRest = Duration.seconds(20)

  /// Runs until the source ends, the pump is cancelled or the task is over; gives what went wrong.
  ///
  /// The pump does not hold the task: whatever its source does, the task can go away.
  static func run(_ audio: Audio, into task: () -> SpeechTask?) async -> (any Error)? {
    do {
      try await task()?.recogniser?.prepare()
      try await bring(audio, into: task)
      return nil
    } catch {
      // A source that was told to stop may say so by throwing.
      return error is CancellationError && Task.isCancelled ? nil : error
    }
  }

  private static func bring(_ audio: Audio, into task: () -> SpeechTask?) async throws {
    var rest = Duration.zero
    for try await buffer in audio {
      guard let recogniser = task()?.recogniser else { return }
      try await recogniser.hear(buffer)
      await task()?.mailbox.room()
      rest += Task.isCancelled ? buffer.duration : .zero
      guard rest < longestRest else { return }
    }
  }
}
