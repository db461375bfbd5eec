import AudioPlayerClient

/// Does what lines tell, one after the other, while something plays.
struct CommandLineControl {
  let player: AudioPlayerClient
  let id: PlaybackID
  let fileCount: Int
  let console: Console

  /// Follows the lines until they end, or the task is cancelled.
  ///
  /// What is paused then goes on: there is nobody left who could resume it.
  func follow(_ lines: StandardInputLines) async {
    var isPaused = false
    do {
      for await line in lines { try await obey(line, &isPaused) }
    } catch {
      return
    }
    // Lines also end with the playback, which then cannot be told anything.
    if isPaused, !Task.isCancelled { try? await player.control(id: id, command: .resume()) }
  }

  /// Throws `CancellationError` only.
  private func obey(_ line: StandardInputLines.Element, _ isPaused: inout Bool) async throws {
    do {
      guard let command = try ControlLine(line.get())?.command(fileCount: fileCount) else { return }
      try await player.control(id: id, command: command)
      switch command {
      case .pause: isPaused = true
      case .resume, .stop: isPaused = false
      default: break
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      await console.report("\(error)")
    }
  }
}
