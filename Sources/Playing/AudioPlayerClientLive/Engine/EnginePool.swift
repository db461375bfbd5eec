import AudioCore
import AudioPlayerClient
import AudioThreads
import SoundCard

/// The engines of a player, one per device: opened for the first sound and closed after the idle time.
actor EnginePool {
  /// The right to use an engine, to be returned with `release`.
  struct Lease: Sendable {
    let engine: PlaybackEngine
    /// The slot to release; nil if another lease keeps the engine open.
    fileprivate let slot: Int?
  }

  private struct Slot: Sendable {
    let device: AudioDevice.ID
    let request: PCMRequest
    let opening: Task<PlaybackEngine, any Error>
    var settings: PlayerSettings
    var users = 0
    var engine: PlaybackEngine?
    var idling: Task<Void, Never>?
    var closing: Task<Void, Never>?

    /// Whether the engine can stay open without users.
    var canIdle: Bool {
      settings.idleTime > .zero && engine?.hasFailed == false && engine?.isAway == false
    }

    /// Whether the engine serves a request; while it plays it serves any format.
    func serves(_ other: PCMRequest) -> Bool {
      users > 0 || (request.format == other.format && request.buffering == other.buffering)
    }
  }

  /// The volume of all engines, present and future.
  let volume = MasterVolume()
  /// The volumes of the buses on all engines.
  let buses = BusVolumes()
  private var slots: [Int: Slot] = [:]
  private var current: [AudioDevice.ID: Int] = [:]
  private var nextSlot = 0

  deinit {
    for slot in slots.values { slot.idling?.cancel() }
  }

  /// Returns the engine of the request's device, and opens it as requested if nothing plays on it.
  ///
  /// A canceled task gets `CancellationError` at once; an opening without waiting callers is
  /// canceled.
  func acquire(_ request: PCMRequest, _ settings: PlayerSettings) async throws -> Lease {
    let device = request.device ?? "default"
    await makeRoom(for: request, on: device)
    let id = current[device] ?? open(request, as: device, settings)
    slots[id]?.idling?.cancel()
    slots[id]?.idling = nil
    slots[id]?.settings = settings
    slots[id]?.users += 1
    do {
      guard let opening = slots[id]?.opening else { throw CancellationError() }
      let engine = try await opening.valueUnlessCancelled()
      slots[id]?.engine = engine
      return Lease(engine: engine, slot: id)
    } catch {
      await release(id)
      throw error
    }
  }

  /// Returns an engine; if it does not stay open, the last user's call returns when the device is
  /// closed.
  func release(_ lease: Lease) async {
    if let slot = lease.slot { await release(slot) }
  }

  /// Returns the engine for a source of this format.
  nonisolated func acquire(
    for request: PlaybackRequest, _ format: AudioFormat, _ settings: PlayerSettings
  ) async throws -> Lease {
    if case .preloaded(let sound) = request.source,
      request.device == nil || request.device == sound.device,
      let engine = PreloadedEngine.engine(of: sound, in: self)
    {
      return Lease(engine: engine, slot: nil)
    }
    do {
      return try await acquire(settings.openingRequest(for: request, format), settings)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw AudioPlayerError(error, on: request.device)
    }
  }

  /// Decodes a source and opens the device for it.
  ///
  /// A canceled task gets `CancellationError` within a second, even if a read does not return.
  nonisolated func preload(
    _ source: PlaybackSource, on device: AudioDevice.ID?, _ latency: PlaybackLatency,
    _ settings: PlayerSettings
  ) async throws -> PreloadedSound {
    if case .preloaded(let sound) = source, sound.device == device,
      PreloadedEngine.engine(of: sound, in: self, latency) != nil
    {
      return sound
    }
    let clock = settings.feeder.clock
    let loader = try SoundLoader(source, settings.feeder)
    let opening = AbandonableTask(clock: clock) { try await loader.open().format }
    let format = try await opening.valueUnlessCancelled()
    let request = PlaybackRequest(source: source, device: device, latency: latency)
    let lease = try await acquire(for: request, format, settings)
    // Releases the engine if the source cannot be read.
    let engine = PreloadedEngine(lease, latency, of: self)
    let target = lease.engine.configuration.format
    let loading = AbandonableTask(clock: clock) { try await loader.load(as: target) }
    let sound = try await loading.valueUnlessCancelled()
    return PreloadedSound(
      buffers: sound.buffers, device: device, hold: engine, shortfall: sound.shortfall)
  }

  private func release(_ id: Int) async {
    guard let slot = slots[id] else { return }
    slots[id]?.users -= 1
    guard slot.users == 1 else { return }
    if slot.canIdle {
      idle(id, slot.settings)
    } else {
      await close(id)
    }
  }

  /// Keeps an engine without users open for the idle time.
  private func idle(_ id: Int, _ settings: PlayerSettings) {
    slots[id]?.idling = Task { [weak self] in
      do { try await settings.clock.sleep(for: settings.idleTime) } catch { return }
      await self?.endIdling(id)
    }
  }

  private func endIdling(_ id: Int) async {
    // A sound may have come at the last moment.
    if slots[id]?.users == 0 { await close(id) }
  }

  /// Returns when no engine of the device prevents a request: one that is closing, or is idle in
  /// another format.
  private func makeRoom(for request: PCMRequest, on device: AudioDevice.ID) async {
    while let (id, slot) = slot(of: device) {
      guard slot.closing != nil || !slot.serves(request) else { return }
      await close(id)
    }
  }

  /// Returns when the device is closed.
  private func close(_ id: Int) async {
    guard var slot = slots[id] else { return }
    if slot.closing == nil {
      slot.idling?.cancel()
      slot.opening.cancel()
      slot.closing = Task { [opening = slot.opening] in
        // An engine that was not opened need not be closed.
        if case .success(let engine) = await opening.result { await engine.close() }
        forget(id)
      }
      slots[id] = slot
    }
    await slot.closing?.value
  }

  /// The slot of a device; an engine that has failed is left to its remaining users.
  private func slot(of device: AudioDevice.ID) -> (id: Int, slot: Slot)? {
    guard let id = current[device], let slot = slots[id] else { return nil }
    guard slot.engine?.hasFailed == true else { return (id, slot) }
    current[device] = nil
    return nil
  }

  private func open(
    _ request: PCMRequest, as device: AudioDevice.ID, _ settings: PlayerSettings
  ) -> Int {
    let id = nextSlot
    nextSlot += 1
    let opening = Task { [volume, weak self] in
      do {
        return try await Self.engine(request, settings, volume)
      } catch {
        await self?.giveUp(id)
        throw error
      }
    }
    slots[id] = Slot(device: device, request: request, opening: opening, settings: settings)
    current[device] = id
    return id
  }

  private static func engine(
    _ request: PCMRequest, _ settings: PlayerSettings, _ volume: MasterVolume
  ) async throws -> PlaybackEngine {
    let pcm = try await settings.soundCard.openPlayback(request: request)
    do {
      return try PlaybackEngine(
        pcm: pcm, volume: volume,
        reopening: DeviceReopening(request, in: pcm.configuration.format, settings),
        lockstep: settings.soundCard.lockstep)
    } catch {
      pcm.close()
      throw error
    }
  }

  /// An opening has failed: the next request opens the device again.
  private func giveUp(_ id: Int) {
    guard let slot = slots[id], slot.closing == nil, current[slot.device] == id else { return }
    current[slot.device] = nil
  }

  private func forget(_ id: Int) {
    guard let slot = slots.removeValue(forKey: id), current[slot.device] == id else { return }
    current[slot.device] = nil
  }
}

/// Keeps an engine open for as long as a preloaded sound exists.
private final class PreloadedEngine: Sendable {
  private let lease: EnginePool.Lease
  /// The requested latency; a device that was open already may have another one.
  private let latency: PlaybackLatency
  private let engines: EnginePool

  init(_ lease: EnginePool.Lease, _ latency: PlaybackLatency, of engines: EnginePool) {
    self.lease = lease
    self.latency = latency
    self.engines = engines
  }

  deinit {
    Task { [engines, lease] in await engines.release(lease) }
  }

  /// The engine that a sound keeps open, with the given latency if there is one; nil if another player
  /// loaded the sound or the device is lost.
  static func engine(
    of sound: PreloadedSound, in engines: EnginePool, _ latency: PlaybackLatency? = nil
  ) -> PlaybackEngine? {
    guard let held = sound.hold as? PreloadedEngine, held.engines === engines,
      latency == nil || latency == held.latency, !held.lease.engine.hasFailed
    else { return nil }
    return held.lease.engine
  }
}

extension AudioPlayerError {
  /// Converts an error of a device, or of anything needed to play on it.
  init(_ error: any Error, on device: AudioDevice.ID?) {
    self =
      switch error {
      case let error as AudioPlayerError: error
      case let error as SoundCardError:
        error.lostDevice.map(Self.deviceLost) ?? .device(device, reason: "\(error)")
      default: .system(reason: "\(error)")
      }
  }
}
