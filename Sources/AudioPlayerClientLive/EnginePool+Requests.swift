import AudioCore
import AudioPlayerClient

extension EnginePool {
  /// The engine for a source of this format, as the request says.
  nonisolated func acquire(
    for request: PlaybackRequest, _ format: AudioFormat, _ setting: EngineSetting
  ) async throws -> Lease {
    if let held = held(for: request) { return held }
    do {
      return try await acquire(setting.openingRequest(for: request, format), setting)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw AudioPlayerError(error, on: request.device)
    }
  }

  /// Decodes a source and opens the device for it; a cancelled task gets `CancellationError` within
  /// a second, also where a read does not return.
  nonisolated func preload(
    _ source: PlaybackSource, on device: AudioDevice.ID?, _ latency: PlaybackLatency,
    _ setting: EngineSetting
  ) async throws -> PreloadedSound {
    let loader = try SoundLoader(source, setting.feeding)
    let opening = HeldUpWork(clock: setting.feeding.clock) { try await loader.open().format }
    let format = try await opening.valueUnlessCancelled()
    let request = PlaybackRequest(source: source, device: device, latency: latency)
    let lease = try await acquire(for: request, format, setting)
    // Gives the engine back where the source cannot be read.
    let hold = EngineHold(lease, latency, of: self)
    let target = lease.engine.configuration.format
    let loading = HeldUpWork(clock: setting.feeding.clock) { try await loader.load(as: target) }
    let sound = try await loading.valueUnlessCancelled()
    return PreloadedSound(
      buffers: sound.buffers, device: device, hold: hold, shortfall: sound.shortfall)
  }

  /// The open engine of a preloaded sound, where the request asks for no other device.
  private nonisolated func held(for request: PlaybackRequest) -> Lease? {
    guard case .preloaded(let sound) = request.source, let hold = sound.hold as? EngineHold,
      request.device == nil || request.device == sound.device
    else { return nil }
    return hold.engine(of: self).map(Lease.init(held:))
  }
}
