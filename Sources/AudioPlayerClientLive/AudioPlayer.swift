import AudioCore
import AudioPlayerClient
import ClientDependencies
import SoundCard

/// The live player: it knows the sessions that play and the volume of all.
actor AudioPlayer {
  private let engines = EnginePool()
  private var sessions: [ObjectIdentifier: PlaybackSession] = [:]

  /// Plays a request to its end; a cancelled task fades it out and throws.
  func play(_ request: PlaybackRequest) async throws {
    let session = begin(request) { _ in }
    try await withTaskCancellationHandler {
      try await session.ended()
    } onCancel: {
      session.stop()
    }
    try Task.checkCancellation()
  }

  func playback(_ request: PlaybackRequest) -> AsyncThrowingStream<PlaybackEvent, any Error> {
    let pipe = StreamPipe<PlaybackEvent>(policy: .playback)
    let session = begin(request) { pipe.send($0) }
    pipe.onTermination { session.stop() }
    Task {
      do {
        try await session.ended()
        pipe.finish()
      } catch {
        pipe.finish(throwing: error)
      }
    }
    return pipe.stream()
  }

  func setVolume(_ volume: Float) {
    engines.volume.gain = volume
  }

  func stop() async {
    let playing = Array(sessions.values)
    for session in playing { session.stop() }
    // How each of them ended is for its own listener to hear.
    for session in playing { _ = await session.outcome() }
  }

  private func begin(
    _ request: PlaybackRequest, report: @escaping @Sendable (PlaybackEvent) -> Void
  ) -> PlaybackSession {
    @Dependency(\.soundCard) var soundCard
    let session = PlaybackSession(
      request: request, soundCard: soundCard, engines: engines, report: report)
    sessions[ObjectIdentifier(session)] = session
    session.start()
    Task {
      _ = await session.outcome()
      sessions[ObjectIdentifier(session)] = nil
    }
    return session
  }
}
