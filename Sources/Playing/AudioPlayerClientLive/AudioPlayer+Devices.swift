import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import SoundCard

/// An open device that plays.
typealias PlaybackDevice = DeviceRuntime<PlaybackThread>

extension PlaybackDevice {
  /// Reports that a voice has more audio; wakes the audio thread if it is waiting for a source.
  func sourceAdvanced() {
    if server.sourceRequest.consume() { wake() }
  }
}

/// The open devices of a player.
typealias PlaybackDevices = DevicePool<PlaybackThread>

extension AudioPlayer {
  /// Returns the requested device, which other sounds may share; opens it if necessary.
  ///
  /// A canceled task gets `CancellationError` at once. When no caller waits for the device any
  /// longer, its opening is canceled.
  nonisolated func acquire(_ request: PCMRequest) async throws -> PlaybackDevice {
    @Dependency(\.soundCard) var soundCard
    @Dependency(\.playbackIdleTime) var idleTime
    @Dependency(\.continuousClock) var clock
    let opening = DeviceOpening<PlaybackThread>(
      request, convertsAnyFormat: false, idleTime: idleTime, clock: clock, on: soundCard
    ) { soundCard, request in
      MonitoredPlayback(try await soundCard.openPlayback(request: request))
    } makeServer: { [volume, taps] device, lockstep in
      let link = try DeviceLink<Voice>(limit: VoiceTable.limit, lockstep: lockstep)
      let tap = taps.makeTap(device.configuration)
      return PlaybackThread(pcm: device, link: link, volume: volume, tap: tap)
    }
    return try await openDevices.acquire(opening)
  }

  /// Releases a device; if this closes the device, the call returns after the device is closed.
  nonisolated func release(_ device: PlaybackDevice) async {
    await openDevices.release(device)
  }

  /// Returns the device on which to play a source of this format.
  nonisolated func acquire(
    for request: PlaybackRequest, _ format: AudioFormat
  ) async throws -> PlaybackDevice {
    if case .preloaded(let sound) = request.source,
      request.device == nil || request.device == sound.device,
      let device = PreloadedDevice.device(of: sound, by: self), await openDevices.share(device)
    {
      return device
    }
    @Dependency(\.playbackIdleTime) var idleTime
    do {
      return try await acquire(request.deviceRequest(for: format, idleTime: idleTime))
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
    _ source: PlaybackSource, on device: AudioDevice.ID?, _ latency: PlaybackLatency
  ) async throws -> PreloadedSound {
    if case .preloaded(let sound) = source, sound.device == device,
      PreloadedDevice.device(of: sound, by: self, latency) != nil
    {
      return sound
    }
    let request = PlaybackRequest(source: source, device: device, latency: latency)
    let feeder = try VoiceFeeder(request, FeederMailbox(request.id), makeSource, on: decoding)
    let opening = Task(executorPreference: feeder.pool) { try await feeder.open() }
    guard let first = try await opening.valueOrEnd(readingClock) else {
      throw AudioPlayerError.emptySource(nil)
    }
    let acquired = try await acquire(for: request, first.description.format)
    // When `held` is released, it releases the device, even if the source cannot be read.
    let held = PreloadedDevice(acquired, latency, of: self)
    let target = acquired.configuration.format
    let loading = Task(executorPreference: feeder.pool) { try await feeder.load(as: target) }
    let sound = try await loading.valueOrEnd(readingClock)
    return PreloadedSound(
      buffers: sound.buffers, device: device, hold: held, shortfall: sound.shortfall)
  }
}

/// Keeps a device open for as long as a preloaded sound exists.
private final class PreloadedDevice: Sendable {
  private let device: PlaybackDevice
  /// The requested latency; a device that was already open may have another latency.
  private let latency: PlaybackLatency
  private let player: AudioPlayer

  init(_ device: PlaybackDevice, _ latency: PlaybackLatency, of player: AudioPlayer) {
    (self.device, self.latency, self.player) = (device, latency, player)
  }

  deinit {
    Task { [player, device] in await player.release(device) }
  }

  /// Returns the device that a preloaded sound keeps open, or nil if there is none.
  ///
  /// The result is nil if the device was requested with a latency other than `latency`, another
  /// player loaded the sound, the device is lost, or the current sound card is a different one.
  static func device(
    of sound: PreloadedSound, by player: AudioPlayer, _ latency: PlaybackLatency? = nil
  ) -> PlaybackDevice? {
    @Dependency(\.soundCard) var soundCard
    guard let held = sound.hold as? PreloadedDevice, held.player === player,
      held.device.card == soundCard.identity, latency == nil || latency == held.latency,
      !held.device.hasEnded
    else { return nil }
    return held.device
  }
}

extension AudioPlayerError {
  /// Converts an error of a sound card or of the system; an `AudioPlayerError` stays unchanged.
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
