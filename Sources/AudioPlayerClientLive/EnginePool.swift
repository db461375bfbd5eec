import AudioCore
import AudioThreads
import SoundCard

/// One engine per device, opened for the first sound and closed when it has been idle.
actor EnginePool {
  /// The right to use an engine, to be given back with `release`.
  struct Lease: Sendable {
    let engine: PlaybackEngine
    fileprivate let place: Int?

    fileprivate init(engine: PlaybackEngine, place: Int) {
      self.engine = engine
      self.place = place
    }

    /// The use of an engine that another lease keeps open for as long.
    init(held engine: PlaybackEngine) {
      self.engine = engine
      place = nil
    }
  }

  private struct Place: Sendable {
    let device: AudioDevice.ID
    let request: PCMRequest
    let opening: Task<PlaybackEngine, any Error>
    var setting: EngineSetting
    var users = 0
    var engine: PlaybackEngine?
    var idling: Task<Void, Never>?
    var closing: Task<Void, Never>?

    /// Whether it can stay open without users.
    var canIdle: Bool {
      setting.idleTime > .zero && engine?.hasFailed == false && engine?.isAway == false
    }

    /// Whether it is of use for a request; one that is played on is, whatever its format.
    func serves(_ other: PCMRequest) -> Bool {
      users > 0 || (request.format == other.format && request.buffering == other.buffering)
    }
  }

  /// The volume of every engine, now and later.
  let volume = MasterVolume()
  /// The volumes of the buses, on every engine.
  let buses = BusVolumes()
  private var places: [Int: Place] = [:]
  private var current: [AudioDevice.ID: Int] = [:]
  private var nextPlace = 0

  deinit {
    for place in places.values { place.idling?.cancel() }
  }

  /// The engine of the request's device, opened as the request says where nothing plays on it.
  ///
  /// A cancelled task gets `CancellationError` at once; an opening that nobody waits for is
  /// cancelled.
  func acquire(_ request: PCMRequest, _ setting: EngineSetting) async throws -> Lease {
    let device = request.device ?? "default"
    await makeRoom(for: request, on: device)
    let id = current[device] ?? open(request, as: device, setting)
    places[id]?.idling?.cancel()
    places[id]?.idling = nil
    places[id]?.setting = setting
    places[id]?.users += 1
    do {
      guard let opening = places[id]?.opening else { throw CancellationError() }
      let engine = try await opening.valueUnlessCancelled()
      places[id]?.engine = engine
      return Lease(engine: engine, place: id)
    } catch {
      await release(id)
      throw error
    }
  }

  /// Gives an engine back; where it is not to be kept, the last user's call returns when the device
  /// is closed.
  func release(_ lease: Lease) async {
    if let place = lease.place { await release(place) }
  }

  private func release(_ id: Int) async {
    guard let place = places[id] else { return }
    places[id]?.users -= 1
    guard place.users == 1 else { return }
    if place.canIdle {
      idle(id, place.setting)
    } else {
      await close(id)
    }
  }

  /// Keeps an engine without users for as long as it is to be kept.
  private func idle(_ id: Int, _ setting: EngineSetting) {
    places[id]?.idling = Task { [weak self] in
      do { try await setting.clock.sleep(for: setting.idleTime) } catch { return }
      await self?.endIdling(id)
    }
  }

  private func endIdling(_ id: Int) async {
    // A sound may have come when the time was over already.
    if places[id]?.users == 0 { await close(id) }
  }

  /// Returns when no engine of the device is in the way of a request: one that is closing, or idles
  /// in another format.
  private func makeRoom(for request: PCMRequest, on device: AudioDevice.ID) async {
    while let (id, place) = place(of: device) {
      guard place.closing != nil || !place.serves(request) else { return }
      await close(id)
    }
  }

  /// Returns when the device is closed.
  private func close(_ id: Int) async {
    guard var place = places[id] else { return }
    if place.closing == nil {
      place.idling?.cancel()
      place.opening.cancel()
      place.closing = Task { [opening = place.opening] in
        // An engine that never came to be needs no closing.
        if case .success(let engine) = await opening.result { await engine.close() }
        forget(id)
      }
      places[id] = place
    }
    await place.closing?.value
  }

  /// The place that serves a device; one whose engine has failed is left to those who still hold
  /// it.
  private func place(of device: AudioDevice.ID) -> (id: Int, place: Place)? {
    guard let id = current[device], let place = places[id] else { return nil }
    guard place.engine?.hasFailed == true else { return (id, place) }
    current[device] = nil
    return nil
  }

  private func open(
    _ request: PCMRequest, as device: AudioDevice.ID, _ setting: EngineSetting
  ) -> Int {
    let id = nextPlace
    nextPlace += 1
    let opening = Task { [volume, weak self] in
      do {
        return try await Self.engine(request, setting, volume)
      } catch {
        await self?.giveUp(id)
        throw error
      }
    }
    places[id] = Place(device: device, request: request, opening: opening, setting: setting)
    current[device] = id
    return id
  }

  private static func engine(
    _ request: PCMRequest, _ setting: EngineSetting, _ volume: MasterVolume
  ) async throws -> PlaybackEngine {
    let pcm = try await setting.soundCard.openPlayback(request: request)
    do {
      return try PlaybackEngine(
        pcm: pcm, volume: volume,
        reopening: DeviceReopening(request, in: pcm.configuration.format, setting))
    } catch {
      pcm.close()
      throw error
    }
  }

  /// An opening has failed, which nobody has heard of yet: who comes from now on opens the device
  /// anew.
  private func giveUp(_ id: Int) {
    guard let place = places[id], place.closing == nil, current[place.device] == id else { return }
    current[place.device] = nil
  }

  private func forget(_ id: Int) {
    guard let place = places.removeValue(forKey: id), current[place.device] == id else { return }
    current[place.device] = nil
  }
}
