import AudioCore
import AudioPlayerClient
import SoundCard

/// One engine per device, opened for the first sound and closed after the last.
actor EnginePool {
  private struct Place {
    let opening: Task<PlaybackEngine, any Error>
    var users = 0
    var closing: Task<Void, Never>?
  }

  private var places: [AudioDevice.ID?: Place] = [:]
  private var volume: Float = 1

  /// The engine of the request's device, opened in its format where nothing plays on it; to be
  /// given back with `release`.
  func acquire(_ request: PCMRequest, on soundCard: SoundCard) async throws -> PlaybackEngine {
    while let closing = places[request.device]?.closing { await closing.value }
    var place = places[request.device] ?? Place(opening: open(request, on: soundCard))
    place.users += 1
    places[request.device] = place
    do {
      return try await place.opening.value
    } catch {
      await release(request.device)
      throw error
    }
  }

  /// Gives an engine back; the last user's call returns when the device is closed.
  func release(_ device: AudioDevice.ID?) async {
    guard var place = places[device] else { return }
    place.users -= 1
    if place.users == 0 {
      place.closing = Task { [opening = place.opening] in
        // An engine that never came to be needs no closing.
        if case .success(let engine) = await opening.result { await engine.close() }
        places[device] = nil
      }
    }
    places[device] = place
    await place.closing?.value
  }

  func setVolume(_ volume: Float) async {
    self.volume = volume
    for place in places.values {
      if case .success(let engine) = await place.opening.result { engine.setVolume(volume) }
    }
  }

  private func open(
    _ request: PCMRequest, on soundCard: SoundCard
  ) -> Task<PlaybackEngine, any Error> {
    Task { [volume] in
      let pcm = try await soundCard.openPlayback(request: request)
      do {
        return try PlaybackEngine(pcm: pcm, volume: volume)
      } catch {
        pcm.close()
        throw error
      }
    }
  }
}
