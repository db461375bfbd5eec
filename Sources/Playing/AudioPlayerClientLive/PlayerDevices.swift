import AudioCore
import AudioPlayerClient
import AudioThreads
import SoundCard
import Synchronization

/// An open device that plays.
typealias PlaybackDevice = DeviceRuntime<PlaybackThread>

extension PlaybackDevice {
  /// Signals more audio of a voice; wakes the audio thread if it waits for a source.
  func sourceAdvanced() {
    if server.sourceRequest.consume() { wake() }
  }
}

/// The open devices of a player, and their volumes.
final class PlayerDevices: Sendable {
  typealias Lease = DevicePool<PlaybackThread>.Lease

  /// The volume of all devices, present and future.
  let volume = BusVolume()
  private let pool = DevicePool<PlaybackThread>()
  // The lock is held for a few instructions by control threads; audio threads use only the buses themselves.
  private let buses = Mutex<[PlaybackBus: BusVolume]>([:])

  /// The volume of a bus on all devices; a bus is created when it is first named, and stays.
  func volume(of bus: PlaybackBus) -> BusVolume {
    buses.withLock { buses in
      if let known = buses[bus] { return known }
      let new = BusVolume()
      buses[bus] = new
      return new
    }
  }

  /// Returns the device of a request, and opens it as requested if nothing plays on it.
  ///
  /// A canceled task gets `CancellationError` at once; an opening without waiting callers is
  /// canceled.
  func acquire(_ request: PCMRequest, _ settings: PlayerSettings) async throws -> Lease {
    let opening = DeviceOpening<PlaybackThread>(
      request, convertsAnyFormat: false, idleTime: settings.idleTime, clock: settings.clock,
      on: settings.soundCard
    ) { soundCard, request in
      MonitoredPlayback(try await soundCard.openPlayback(request: request))
    } makeServer: { [volume] device, lockstep in
      let link = try DeviceLink<Voice>(limit: VoiceTable.limit, lockstep: lockstep)
      return PlaybackThread(pcm: device, link: link, volume: volume)
    }
    return try await pool.acquire(opening)
  }

  /// Returns a device; if it does not stay open, the last user's call returns when it is closed.
  func release(_ lease: Lease) async {
    await pool.release(lease)
  }

  /// Returns the device for a source of this format.
  func acquire(
    for request: PlaybackRequest, _ format: AudioFormat, _ settings: PlayerSettings
  ) async throws -> Lease {
    if case .preloaded(let sound) = request.source,
      request.device == nil || request.device == sound.device,
      let lease = PreloadedDevice.lease(of: sound, in: self)
    {
      return lease
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
  func preload(
    _ source: PlaybackSource, on device: AudioDevice.ID?, _ latency: PlaybackLatency,
    _ settings: PlayerSettings
  ) async throws -> PreloadedSound {
    if case .preloaded(let sound) = source, sound.device == device,
      PreloadedDevice.lease(of: sound, in: self, latency) != nil
    {
      return sound
    }
    let clock = settings.readingClock
    let loader = try SoundLoader(source, settings.makeSource)
    let opening = AbandonableTask(clock: clock) { try await loader.open().format }
    let format = try await opening.valueUnlessCancelled()
    let request = PlaybackRequest(source: source, device: device, latency: latency)
    let lease = try await acquire(for: request, format, settings)
    // Releases the device if the source cannot be read.
    let held = PreloadedDevice(lease, latency, of: self)
    let target = lease.runtime.configuration.format
    let loading = AbandonableTask(clock: clock) { try await loader.load(as: target) }
    let sound = try await loading.valueUnlessCancelled()
    return PreloadedSound(
      buffers: sound.buffers, device: device, hold: held, shortfall: sound.shortfall)
  }
}

/// Keeps a device open for as long as a preloaded sound exists.
private final class PreloadedDevice: Sendable {
  private let lease: PlayerDevices.Lease
  /// The requested latency; a device that was open already may have another one.
  private let latency: PlaybackLatency
  private let devices: PlayerDevices

  init(_ lease: PlayerDevices.Lease, _ latency: PlaybackLatency, of devices: PlayerDevices) {
    self.lease = lease
    self.latency = latency
    self.devices = devices
  }

  deinit {
    Task { [devices, lease] in await devices.release(lease) }
  }

  /// The device that a sound keeps open, with the given latency if there is one; nil if another player
  /// loaded the sound or the device is lost.
  static func lease(
    of sound: PreloadedSound, in devices: PlayerDevices, _ latency: PlaybackLatency? = nil
  ) -> PlayerDevices.Lease? {
    guard let held = sound.hold as? PreloadedDevice, held.devices === devices,
      latency == nil || latency == held.latency, !held.lease.runtime.hasEnded
    else { return nil }
    return held.lease.borrowed
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
