import AudioCore
import ClientDependencies
import Foundation

extension AudioPlayerClient {
  static func preview() -> AudioPlayerClient {
    let player = PreviewPlayer()
    return AudioPlayerClient(
      play: { try await player.run(PlaybackRequest(source: .file($0))) },
      loop: { try await player.run(PlaybackRequest(source: .file($0), repetition: .forever)) },
      setVolume: { _ in },
      stop: { await player.stop() },
      playback: { await player.playback($0) })
  }
}

/// Plays nothing, for as long as it would take.
private actor PreviewPlayer {
  private static let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
  private var playing: [Int: Task<Void, any Error>] = [:]
  private var nextID = 0

  func run(_ request: PlaybackRequest) async throws {
    for try await _ in playback(request) {}
    try Task.checkCancellation()
  }

  func playback(_ request: PlaybackRequest) -> AsyncThrowingStream<PlaybackEvent, any Error> {
    let pipe = StreamPipe<PlaybackEvent>(policy: .playback)
    @Dependency(\.continuousClock) var clock
    let id = nextID
    nextID += 1
    let task = Task { [clock] in try await Self.play(request, on: clock, into: pipe) }
    playing[id] = task
    pipe.onTermination { task.cancel() }
    Task {
      await Self.finish(pipe, with: task.result)
      self.playing[id] = nil
    }
    return pipe.stream()
  }

  func stop() async {
    let tasks = Array(playing.values)
    for task in tasks { task.cancel() }
    for task in tasks { _ = await task.result }
  }

  private static func play(
    _ request: PlaybackRequest, on clock: any Clock<Duration>, into pipe: StreamPipe<PlaybackEvent>
  ) async throws {
    let duration = try previewDuration(of: request.source)
    pipe.send(
      .started(PlaybackStart(device: "preview", format: format, announcedDuration: duration)))
    var heard = Duration.zero
    for try await step in PreviewSteps(request, duration: duration) {
      do { try await clock.sleep(for: step) } catch {
        pipe.send(.finished(PlaybackFinish(reason: .stopped, heard: heard)))
        return
      }
      heard += step
      pipe.send(.progress(PlaybackProgress(heard: heard)))
    }
    pipe.send(.finished(PlaybackFinish(reason: .completed, heard: heard)))
  }

  private static func finish(
    _ pipe: StreamPipe<PlaybackEvent>, with result: Result<Void, any Error>
  ) {
    switch result {
    case .success: pipe.finish()
    case .failure(let error): pipe.finish(throwing: error)
    }
  }
}
