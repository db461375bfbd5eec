import AudioCore
import AudioPlayerClient
import AudioThreads
import SoundCard
import Synchronization

/// One playback, from its source to its last frame.
final class PlaybackSession: Sendable {
  let request: PlaybackRequest
  private let player: AudioPlayer
  private let report: @Sendable (PlaybackEvent) -> Void
  private let parameters: SharedVoiceParameters
  private let mailbox: FeederMailbox
  /// Stops the time of a virtual card from the device's last report until the caller has the
  /// result.
  private let hold: TimeHold?
  private let lockstep: Lockstep?
  // The locks are held for a few instructions by callers and the session's task.
  private let state = Mutex<
    (
      isStopping: Bool, isOver: Bool, isDucking: Bool,
      playing: (voice: Voice, device: PlaybackDevice)?
    )
  >((false, false, false, nil))
  private let task = Mutex<Task<Void, any Error>?>(nil)

  /// Creates a session; `lockstep` keeps a virtual card's test clock in step with the playback.
  init(
    _ request: PlaybackRequest, by player: AudioPlayer, lockstep: Lockstep?,
    report: @escaping @Sendable (PlaybackEvent) -> Void
  ) {
    (self.request, self.player, self.report) = (request, player, report)
    self.lockstep = lockstep
    parameters = SharedVoiceParameters(request.id, gain: request.volume)
    mailbox = FeederMailbox(request.id)
    hold = TimeHold(lockstep, "a playback that ends")
    // `hold` would stop the virtual card's time, but the source may need time to pass before it can
    // begin. `expectReaction` stops the time only while tasks can be running.
    lockstep?.expectReaction()
  }

  /// Lets the time of a virtual card continue, because the caller has the result.
  func releaseTime() {
    lockstep?.expectReaction()
    hold?.end()
  }

  func start() {
    let task = Task { try await run() }
    self.task.withLock { $0 = task }
  }

  /// Whether the playback has ended, so that its ID can be used again.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// The gains of the buses that the playback ducks now.
  var ducking: [PlaybackBus: Decibels] {
    guard !request.ducking.isEmpty, state.withLock({ $0.isDucking }) else { return [:] }
    return parameters.current.parameters.isPaused ? [:] : request.ducking
  }

  /// Performs a command; returns when it is in effect.
  func control(_ command: PlaybackCommand) async throws {
    switch command {
    case .pause(let fade): try await update { ($0.isPaused, $0.fade) = (true, fade) }
    case .resume(let fade): try await update { ($0.isPaused, $0.fade) = (false, fade) }
    case .setVolume(let volume, let ramp):
      try await update {
        ($0.gain, $0.ramp) = (clampedGain(volume, atMost: PlaybackRequest.loudest), ramp)
      }
    case .seek, .skip, .enqueue:
      if let serial = try await mailbox.send(command) {
        try await parameters.waitUntilSettled(serial)
      }
    case .stop(let fade):
      stop(fade: fade)
      _ = await outcome()
    }
  }

  private func update(_ change: (inout VoiceParameters) -> Void) async throws {
    let serial = parameters.update(change)
    await updateDucking()
    state.withLock { $0.playing }?.device.wake()
    try await parameters.waitUntilSettled(serial)
  }

  private func duck(_ isDucking: Bool) async {
    state.withLock { $0.isDucking = isDucking }
    await updateDucking()
  }

  private func updateDucking() async {
    if !request.ducking.isEmpty { await player.updateDucking(of: self) }
  }

  /// Fades the sound out, or cancels it if nothing of it is audible yet.
  func stop(fade: Duration = VoiceParameters.shortestFade) {
    let playing = state.withLock { state in
      state.isStopping = true
      return state.playing
    }
    guard let playing else {
      task.withLock { $0 }?.cancel()
      return
    }
    playing.voice.stop(fade: fade)
    playing.device.wake()
  }

  /// Returns when the playback has ended; throws the error that ended it.
  func ended() async throws {
    try await task.withLock { $0 }?.value
  }

  /// Returns the result of the playback when it has ended.
  func outcome() async -> Result<Void, any Error> {
    await task.withLock { $0 }?.result ?? .success(())
  }

  private func run() async throws {
    report(.finished(try await finish()))
  }

  /// Plays to the end and frees the ID before the end is reported.
  private func finish() async throws -> PlaybackFinish {
    defer {
      state.withLock { $0.isOver = true }
      mailbox.close()
      parameters.end()
    }
    do {
      return try await play()
    } catch {
      guard state.withLock({ $0.isStopping && $0.playing == nil }) else { throw error }
      return PlaybackFinish(reason: .stopped, played: .zero)
    }
  }

  private func play() async throws -> PlaybackFinish {
    guard request.fadeOut <= EdgeFades.longestFadeOut else {
      throw AudioPlayerError.fadeOutTooLong(limit: EdgeFades.longestFadeOut)
    }
    guard PlaybackRequest.speeds.contains(request.speed) else {
      throw AudioPlayerError.speedOutOfRange(request.speed)
    }
    let feeder = try VoiceFeeder(request, mailbox, player.makeSource, on: player.decoding)
    guard let first = try await open(feeder) else {
      return PlaybackFinish(reason: .completed, played: .zero)
    }
    let device = try await player.acquire(for: request, first.description.format)
    let outcome: Result<PlaybackFinish, any Error>
    do {
      outcome = .success(try await play(feeder, first, on: device))
    } catch {
      outcome = .failure(error)
    }
    await player.release(device)
    return try outcome.get()
  }

  /// Opens the first item; if no item can be opened, reports the error of each.
  private func open(_ feeder: VoiceFeeder) async throws -> VoiceFeeder.FirstItem? {
    let opening = Task(executorPreference: feeder.pool) { try await feeder.open() }
    do {
      return try await opening.valueUnlessCancelled()
    } catch {
      // If the feeder is still blocked after a second, `end` returns false, and asking the feeder
      // for its failures would block, too.
      guard await opening.end(player.readingClock) else { throw error }
      for event in await feeder.failures { report(event) }
      throw error
    }
  }

  private func play(
    _ feeder: VoiceFeeder, _ first: VoiceFeeder.FirstItem, on device: PlaybackDevice
  ) async throws -> PlaybackFinish {
    let voice = await makeVoice(on: device)
    let feeding = Task(executorPreference: feeder.pool) {
      try await feeder.feed(voice, on: device)
    }
    let outcome: Result<PlaybackFinish, any Error>
    do {
      try await prime(voice, feeder, feeding)
      outcome = .success(try await play(voice, feeding, first, on: device))
    } catch {
      outcome = .failure(error)
    }
    await duck(false)
    // This ends the feeder. Unless a read blocks, the session waits until the feeder has closed
    // its file.
    voice.close()
    await feeding.end(player.readingClock)
    return try outcome.get()
  }

  private func makeVoice(on device: PlaybackDevice) async -> Voice {
    let bus = await player.volume(of: request.bus)
    let settings = device.configuration
    let prefill = request.prefill(on: settings)
    // A stream that sets the pace needs room for its prefill, a buffer of 1 s, the tolerance, and
    // the next buffer.
    let least = request.followsSource ? prefill * 2 + .milliseconds(2_250) : .zero
    return Voice(
      format: settings.format, capacity: max(least, Voice.capacity(on: settings)),
      prefill: prefill, parameters: parameters, bus: bus,
      speed: request.speed, progressInterval: request.progressInterval,
      onDeviceLoss: request.onDeviceLoss, link: device.server.link, hold: hold,
      listener: report)
  }

  /// Plays a voice and reports its start.
  private func play(
    _ voice: Voice, _ feeding: Task<Void, any Error>, _ first: VoiceFeeder.FirstItem,
    on device: PlaybackDevice
  ) async throws -> PlaybackFinish {
    guard publish(voice, device) else { throw CancellationError() }
    guard let place = device.reserve() else {
      throw AudioPlayerError.tooManyVoices(limit: VoiceTable.limit)
    }
    let settings = device.configuration
    // Duck before the start is reported, so that the ducking begins with the sound's first period.
    await duck(true)
    report(
      .started(
        PlaybackStart(
          device: settings.device, format: voice.format,
          announcedDuration: first.description.announcedDuration, settings: settings,
          item: first.index)))
    let played = try await played(voice, in: place, on: device)
    // An error of the source is thrown after its audio has been played.
    if !voice.isStopping { try await feeding.value }
    return PlaybackFinish(reason: voice.isStopping ? .stopped : .completed, played: played)
  }

  /// Waits until there is enough audio to begin; throws if the source has none.
  private func prime(
    _ voice: Voice, _ feeder: VoiceFeeder, _ feeding: Task<Void, any Error>
  ) async throws {
    await withTaskCancellationHandler {
      await feeder.primed.wait()
    } onCancel: {
      feeding.cancel()
      voice.stop()
      // The feeder may be blocked in its first read, so end the wait here.
      feeder.primed.open()
    }
    try Task.checkCancellation()
    if voice.ring.totalWritten == 0 { try await feeding.valueUnlessCancelled() }
  }

  /// Waits until the device has played the voice; returns the played duration.
  private func played(
    _ voice: Voice, in place: Int, on device: PlaybackDevice
  ) async throws(AudioPlayerError) -> Duration {
    device.add(voice, in: place)
    do {
      return try await voice.played()
    } catch {
      throw AudioPlayerError(error, on: device.configuration.device)
    }
  }

  /// Makes the voice available to `stop`; false if `stop` was called before.
  private func publish(_ voice: Voice, _ device: PlaybackDevice) -> Bool {
    state.withLock { state in
      guard !state.isStopping else { return false }
      state.playing = (voice, device)
      return true
    }
  }
}
