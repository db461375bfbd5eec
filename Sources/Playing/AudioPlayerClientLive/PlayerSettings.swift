import AudioCore
import AudioPlayerClient
import ClientDependencies
import SoundCard

/// The dependencies of a playback: the sound card, how long an idle device stays open, and how
/// sources are made.
struct PlayerSettings: Sendable {
  let soundCard: SoundCard
  let idleTime: Duration
  let clock: any Clock<Duration>
  /// Makes the source of an item, on the thread that reads it.
  var makeSource: SourceMaker = {
    $0.makeSource($1)
  }
  /// Measures the wait for a blocked call of a source: the machine's own clock, because disks
  /// follow no other.
  var readingClock: any Clock<Duration> = ContinuousClock()

  /// The caller's settings.
  static var current: PlayerSettings {
    @Dependency(\.soundCard) var soundCard
    @Dependency(\.playbackIdleTime) var idleTime
    @Dependency(\.continuousClock) var clock
    return PlayerSettings(soundCard: soundCard, idleTime: idleTime, clock: clock)
  }

  /// The request to open a device for a source of this format.
  func openingRequest(for request: PlaybackRequest, _ source: AudioFormat) -> PCMRequest {
    let wanted = idleTime > .zero ? source.widened : source
    return PCMRequest(
      device: request.device, format: request.deviceFormat ?? wanted,
      buffering: request.buffering)
  }
}

extension PlaybackRequest {
  /// The less often progress is reported, the more audio the device holds, and the less often it
  /// wakes its thread.
  ///
  /// A live stream comes too slowly to fill a large buffer.
  fileprivate var buffering: PCMBuffering {
    let isLive = items.contains { if case .stream = $0.source { true } else { false } }
    guard latency == .normal, progressInterval >= .milliseconds(250), !isLive else {
      return latency.buffering
    }
    return progressInterval < .seconds(2) ? .unwatchedPlayback : .unattendedPlayback
  }
}

extension PCMBuffering {
  /// Half as much again as in ordinary playback; a third of it is filled at a time.
  static let unwatchedPlayback = PCMBuffering(period: .milliseconds(25), periodCount: 6)

  /// For a playback without progress events or control; a stop without a fade discards the buffer.
  static let unattendedPlayback = PCMBuffering(period: .milliseconds(500), periodCount: 4)
}

extension PlaybackLatency {
  fileprivate var buffering: PCMBuffering {
    switch self {
    case .normal: .playback
    case .low: .lowLatency
    }
  }
}
