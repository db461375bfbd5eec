import AudioPlayerClient

/// Does what lines tell, one after the other, while something plays.
struct CommandLineControl {
  let player: AudioPlayerClient
  let id: PlaybackID
  let console: Console

  /// Follows the lines until they end, or the task is cancelled.
  func follow(_ lines: AsyncStream<String>) async {
    for await line in lines {
      do {
        guard let command = try ControlLine(line)?.command() else { continue }
        try await player.control(id: id, command: command)
      } catch is CancellationError {
        return
      } catch {
        await console.report("\(error)")
      }
    }
  }
}
