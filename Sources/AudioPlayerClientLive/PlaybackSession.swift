import AudioCore
import AudioPlayerClient
import AudioThreads
import SoundCard
import Synchronization

/// One playback from its source to its last frame.
final class PlaybackSession: Sendable {
  private struct State {
    var isStopping = false
    var isOver = false
    var voice: Voice?
    var engine: PlaybackEngine?
    var task: Task<Void, any Error>?
  }

  let request: PlaybackRequest
  private let setting: EngineSetting
  private let engines: EnginePool
  private let report: @Sendable (PlaybackEvent) -> Void
  let board: WishBoard
  let waiters: ControlWaiters
  let mailbox: FeederMailbox
  // Held for a few instructions by whoever stops the session and by the session itself.
  private let state = Mutex(State())

  init(
    request: PlaybackRequest, setting: EngineSetting, engines: EnginePool,
    report: @escaping @Sendable (PlaybackEvent) -> Void
  ) {
    self.request = request
    self.setting = setting
    self.engines = engines
    self.report = report
    board = WishBoard(gain: request.volume)
    waiters = ControlWaiters(request.id)
    mailbox = FeederMailbox(request.id)
  }

  func start() {
    let task = Task { try await run() }
    state.withLock { $0.task = task }
  }

  /// Whether it has ended, so that its name is free again.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Wakes whoever reads what is wished.
  func wake() {
    state.withLock { $0.engine }?.wake()
  }

  /// Fades the sound out, or gives it up where nothing of it is heard yet.
  func stop(fade: Duration = TransportWishes.shortestFade) {
    let (voice, engine, task) = state.withLock { state in
      state.isStopping = true
      return (state.voice, state.engine, state.task)
    }
    guard let voice, let engine else {
      task?.cancel()
      return
    }
    voice.stop(fade: fade)
    engine.wake()
  }

  /// Returns when nothing of it is heard any more; throws what ended it.
  func ended() async throws {
    try await state.withLock { $0.task }?.value
  }

  /// How it ended, without throwing.
  func outcome() async -> Result<Void, any Error> {
    await state.withLock { $0.task }?.result ?? .success(())
  }

  private func run() async throws {
    report(.finished(try await finish()))
  }

  /// Plays to the end; whoever reads of that end finds the name free.
  private func finish() async throws -> PlaybackFinish {
    defer {
      state.withLock { $0.isOver = true }
      mailbox.close()
      waiters.end()
    }
    do {
      return try await play()
    } catch {
      guard state.withLock({ $0.isStopping && $0.voice == nil }) else { throw error }
      return PlaybackFinish(reason: .stopped, heard: .zero)
    }
  }

  private func play() async throws -> PlaybackFinish {
    guard request.fadeOut <= EdgeFades.longestFall else {
      throw AudioPlayerError.fadeOutTooLong(limit: EdgeFades.longestFall)
    }
    let feeder = try VoiceFeeder(request, mailbox, setting.feeding)
    guard let source = try await open(feeder) else {
      return PlaybackFinish(reason: .completed, heard: .zero)
    }
    let lease = try await engines.acquire(for: request, source.format, setting)
    let outcome: Result<PlaybackFinish, any Error>
    do {
      outcome = .success(try await play(feeder, source, on: lease.engine))
    } catch {
      outcome = .failure(error)
    }
    await engines.release(lease)
    return try outcome.get()
  }

  /// Where nothing can be opened, what each item failed with is told all the same.
  private func open(_ feeder: VoiceFeeder) async throws -> SourceDescription? {
    let opening = HeldUpWork(clock: setting.feeding.clock) { try await feeder.open() }
    do {
      return try await opening.valueUnlessCancelled()
    } catch {
      // One that is held up cannot be asked.
      guard opening.hasEnded else { throw error }
      for note in await feeder.failures { report(note.event(PlaybackProgress(heard: .zero))) }
      throw error
    }
  }

  private func play(
    _ feeder: VoiceFeeder, _ source: SourceDescription, on engine: PlaybackEngine
  ) async throws -> PlaybackFinish {
    let format = engine.configuration.format
    let ending = VoiceEnding(
      rate: format.sampleRate, progressInterval: request.progressInterval, waiters: waiters)
    let voice = try makeVoice(engine.configuration, ending)
    let feeding = HeldUpWork(clock: setting.feeding.clock) {
      try await feeder.feed(voice, ending, on: engine)
    }
    let outcome: Result<PlaybackFinish, any Error>
    do {
      try await prime(voice, feeder, feeding)
      outcome = .success(try await sound(voice, ending, feeding, source, on: engine))
    } catch {
      outcome = .failure(error)
    }
    // The feeder's thread and its file are gone before the session is over, unless a read holds
    // them up.
    voice.close()
    await feeding.end()
    return try outcome.get()
  }

  private func makeVoice(_ device: PCMConfiguration, _ ending: VoiceEnding) throws -> Voice {
    let format = device.format
    let capacity = Voice.capacity(on: device)
    do {
      return try Voice(
        format: format, capacity: capacity, board: board, bus: engines.buses[request.bus],
        progressInterval: request.progressInterval, onDeviceLoss: request.onDeviceLoss
      ) { [report] in ending.take($0, report) }
    } catch {
      throw AudioPlayerError.system(reason: "\(error)")
    }
  }

  /// Lets the voice sound and tells how it goes.
  private func sound(
    _ voice: Voice, _ ending: VoiceEnding, _ feeding: HeldUpWork<Void>,
    _ source: SourceDescription, on engine: PlaybackEngine
  ) async throws -> PlaybackFinish {
    guard publish(voice, engine) else { throw CancellationError() }
    try engine.reserve()
    let settings = engine.configuration
    report(
      .started(
        PlaybackStart(
          device: settings.device, format: voice.format,
          announcedDuration: source.announcedDuration, settings: settings, item: source.item)))
    let heard = try await heard(voice, ending, on: engine)
    // What the source failed with is thrown after what it gave has been heard.
    if !voice.isStopping { try await feeding.value }
    return PlaybackFinish(reason: voice.isStopping ? .stopped : .completed, heard: heard)
  }

  /// Waits until there is something to begin with; throws where the source has nothing.
  private func prime(
    _ voice: Voice, _ feeder: VoiceFeeder, _ feeding: HeldUpWork<Void>
  ) async throws {
    await withTaskCancellationHandler {
      await feeder.primed.wait()
    } onCancel: {
      feeding.cancel()
      voice.stop()
      // It may be held up in its first read.
      feeder.primed.open()
    }
    try Task.checkCancellation()
    if voice.ring.totalWritten == 0 { try await feeding.valueUnlessCancelled() }
  }

  /// Lets the engine mix the voice until it has been heard; returns how much that was.
  private func heard(
    _ voice: Voice, _ ending: VoiceEnding, on engine: PlaybackEngine
  ) async throws -> Duration {
    let device = engine.configuration.device
    do {
      guard engine.add(voice) else { throw SoundCardError.deviceLost(device) }
      return try await ending.heard()
    } catch {
      throw AudioPlayerError(error, on: device)
    }
  }

  /// Lets `stop` reach the voice; false where it was called before there was one.
  private func publish(_ voice: Voice, _ engine: PlaybackEngine) -> Bool {
    state.withLock { state in
      guard !state.isStopping else { return false }
      state.voice = voice
      state.engine = engine
      return true
    }
  }
}
