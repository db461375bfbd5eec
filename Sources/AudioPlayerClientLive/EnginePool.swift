import AudioCore
import SoundCard

/// One engine per device, opened for the first sound and closed after the last.
actor EnginePool {
  /// The right to use an engine, to be given back with `release`.
  struct Lease: Sendable {
    let engine: PlaybackEngine
    fileprivate let place: Int
  }

  private struct Place {
    let device: AudioDevice.ID
    let opening: Task<PlaybackEngine, any Error>
    var users = 0
    var engine: PlaybackEngine?
    var closing: Task<Void, Never>?
  }

  /// The volume of every engine, now and later.
  let volume = MasterVolume()
  /// The volumes of the buses, on every engine.
  let buses = BusVolumes()
  private var places: [Int: Place] = [:]
  private var current: [AudioDevice.ID: Int] = [:]
  private var nextPlace = 0

  /// The engine of the request's device, opened in its format where nothing plays on it.
  ///
  /// A cancelled task gets `CancellationError` at once; an opening that nobody waits for is
  /// cancelled.
  func acquire(_ request: PCMRequest, on soundCard: SoundCard) async throws -> Lease {
    let device = request.device ?? "default"
    while let closing = place(of: device)?.closing { await closing.value }
    let id = current[device] ?? open(request, as: device, on: soundCard)
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

  /// Gives an engine back; the last user's call returns when the device is closed.
  func release(_ lease: Lease) async {
    await release(lease.place)
  }

  private func release(_ id: Int) async {
    guard var place = places[id] else { return }
    place.users -= 1
    if place.users == 0 {
      place.opening.cancel()
      place.closing = Task { [opening = place.opening] in
        // An engine that never came to be needs no closing.
        if case .success(let engine) = await opening.result { await engine.close() }
        forget(id)
      }
    }
    places[id] = place
    await place.closing?.value
  }

  /// The place that serves a device; one whose engine has failed is left to those who still hold
  /// it.
  private func place(of device: AudioDevice.ID) -> Place? {
    guard let id = current[device] else { return nil }
    if places[id]?.engine?.hasFailed == true {
      current[device] = nil
      return nil
    }
    return places[id]
  }

  private func open(
    _ request: PCMRequest, as device: AudioDevice.ID, on soundCard: SoundCard
  ) -> Int {
    let id = nextPlace
    nextPlace += 1
    let opening = Task { [volume] in
      let pcm = try await soundCard.openPlayback(request: request)
      do {
        return try PlaybackEngine(pcm: pcm, volume: volume)
      } catch {
        pcm.close()
        throw error
      }
    }
    places[id] = Place(device: device, opening: opening)
    current[device] = id
    return id
  }

  private func forget(_ id: Int) {
    guard let place = places.removeValue(forKey: id), current[place.device] == id else { return }
    current[place.device] = nil
  }
}
