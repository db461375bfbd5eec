import AudioCore
import ClientDependencies

extension AudioPlayerClient {
  static func preview() -> AudioPlayerClient {
    let player = PreviewPlayer()
    return AudioPlayerClient(
      play: { try await player.run(PlaybackRequest(source: .file($0))) },
      loop: { try await player.run(PlaybackRequest(source: .file($0), repetition: .forever)) },
      setVolume: { _ in },
      stop: { await player.stop() },
      playback: { await player.playback($0) },
      control: { try await player.control($0, $1) },
      setBusVolume: { _, _, _ in },
      preload: { source, device, _ in
        PreloadedSound(buffers: try await previewBuffers(of: source), device: device)
      },
      devices: {
        [
          AudioDevice(
            id: "preview", name: "Preview loudspeaker", directions: [.playback], isDefault: true,
            isVirtual: true)
        ]
      })
  }
}

/// Plays nothing, for as long as it would take.
private actor PreviewPlayer {
  private var playing: [PlaybackID: PreviewPlayback] = [:]

  func run(_ request: PlaybackRequest) async throws {
    for try await _ in playback(request) {}
    try Task.checkCancellation()
  }

  func playback(_ request: PlaybackRequest) -> AsyncThrowingStream<PlaybackEvent, any Error> {
    guard playing[request.id] == nil else {
      return AsyncThrowingStream { throw AudioPlayerError.idInUse(request.id) }
    }
    @Dependency(\.continuousClock) var clock
    let pipe = StreamPipe<PlaybackEvent>(policy: .playback)
    let playback = PreviewPlayback(request, on: clock, into: pipe)
    playing[request.id] = playback
    pipe.onTermination { Task { await playback.stop() } }
    Task {
      await playback.play()
      playing[request.id] = nil
    }
    return pipe.stream()
  }

  func control(_ id: PlaybackID, _ command: PlaybackCommand) async throws {
    if let playback = playing[id] { return try await playback.control(command) }
    if case .stop = command { return }
    throw AudioPlayerError.unknownPlayback(id)
  }

  func stop() async {
    for playback in Array(playing.values) { await playback.stop() }
  }
}
