import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import SoundCard

/// The live player: its playbacks by ID, its open devices, and the volumes of its buses.
actor AudioPlayer {
  /// Makes the source of an item, on the thread that reads the source.
  let makeSource: SourceMaker
  /// The clock for the time limit on a blocked source: the machine's clock, even in tests with a
  /// virtual clock, because file reads take real time.
  let readingClock: any Clock<Duration>
  /// The threads that read and decode the sources of all voices.
  let decoding: SharedThreadPool
  let openDevices = PlaybackDevices()
  /// The volume of all devices, present and future.
  let volume = BusVolume()
  let taps = MixTaps()
  /// The volumes of the buses that have been named.
  private(set) var buses: [PlaybackBus: BusVolume] = [:]
  private var sessions: [PlaybackID: PlaybackSession] = [:]

  init(
    makeSource: @escaping SourceMaker = { $0.makeSource($1) },
    readingClock: any Clock<Duration> = ContinuousClock(),
    decoding: SharedThreadPool = SharedThreadPool(name: "syrinx-decode")
  ) {
    (self.makeSource, self.readingClock, self.decoding) = (makeSource, readingClock, decoding)
  }

  /// Plays a request to its end; if the task is canceled, fades the sound out and throws
  /// `CancellationError`.
  func play(_ request: PlaybackRequest) async throws {
    let session = try begin(request) { _ in }
    defer { session.releaseTime() }
    try await withTaskCancellationHandler {
      try await session.ended()
    } onCancel: {
      session.stop()
    }
    try Task.checkCancellation()
  }

  func playback(_ request: PlaybackRequest) -> AsyncThrowingStream<PlaybackEvent, any Error> {
    @Dependency(\.soundCard) var soundCard
    let pipe = PolicyPipe<PlaybackEvent>(
      policy: .playback,
      hold: TimeHold(soundCard.lockstep, "a reader of playback events", isFeature: true))
    let session: PlaybackSession
    do throws(AudioPlayerError) {
      session = try begin(request) { pipe.send($0) }
    } catch {
      pipe.finish(throwing: error)
      return pipe.stream()
    }
    pipe.onTermination { session.stop() }
    Task {
      defer { session.releaseTime() }
      do {
        try await session.ended()
        pipe.finish()
      } catch {
        pipe.finish(throwing: error)
      }
    }
    return pipe.stream()
  }

  func control(_ id: PlaybackID, _ command: PlaybackCommand) async throws {
    if let session = sessions[id], !session.isOver { return try await session.control(command) }
    // The playback may have just ended by itself, so stopping it is not an error.
    if case .stop = command { return }
    throw AudioPlayerError.unknownPlayback(id)
  }

  func setVolume(_ volume: Float) {
    self.volume.setting = (volume, .milliseconds(20))
  }

  func setVolume(_ volume: Float, of bus: PlaybackBus, ramp: Duration) {
    self.volume(of: bus).setting = (volume, ramp)
  }

  /// Returns the volume of a bus on all devices; creates a bus when it is first named.
  func volume(of bus: PlaybackBus) -> BusVolume {
    let volume = buses[bus] ?? BusVolume()
    buses[bus] = volume
    return volume
  }

  /// Ramps each bus that `session` ducks to the lowest gain that a playing sound requests for the
  /// bus.
  func updateDucking(of session: PlaybackSession) {
    for bus in session.request.ducking.keys {
      // `min()` of values with NaN would depend on the order of the sessions.
      let gains = sessions.values.compactMap { $0.ducking[bus]?.amplitude }.filter { !$0.isNaN }
      volume(of: bus).duck(to: Float(gains.min() ?? 1), session.request.duckingRamp)
    }
  }

  nonisolated func devices() async throws -> [AudioDevice] {
    @Dependency(\.soundCard) var soundCard
    do {
      return try await soundCard.devices(for: .playback)
    } catch let error as SoundCardError {
      throw AudioPlayerError.device(nil, reason: "\(error)")
    }
  }

  func stop() async {
    let playing = Array(sessions.values)
    for session in playing { session.stop() }
    // Errors are ignored here, because each session reports its own.
    for session in playing { _ = await session.outcome() }
  }

  /// Begins a playback with the caller's dependencies.
  func begin(
    _ request: PlaybackRequest, report: @escaping @Sendable (PlaybackEvent) -> Void
  ) throws(AudioPlayerError) -> PlaybackSession {
    if let session = sessions[request.id], !session.isOver { throw .idInUse(request.id) }
    @Dependency(\.soundCard) var soundCard
    let session = PlaybackSession(
      request, by: self, lockstep: soundCard.lockstep, report: report)
    sessions[request.id] = session
    session.start()
    Task {
      _ = await session.outcome()
      if sessions[request.id] === session { sessions[request.id] = nil }
    }
    return session
  }
}
