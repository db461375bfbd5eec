import AudioCore
import AudioPlayerClient
import ClientDependencies
import SoundCard

/// What engines are opened on, and how long they are kept.
struct EngineSetting: Sendable {
  let soundCard: SoundCard
  let idleTime: Duration
  let clock: any Clock<Duration>
  /// How what they play is read.
  var feeding = FeederSetting()
  /// Whose they are, for what is opened on another thread.
  var dependencies = withEscapedDependencies { $0 }

  /// What is in force where it is made.
  static var current: EngineSetting {
    @Dependency(\.soundCard) var soundCard
    @Dependency(\.playbackIdleTime) var idleTime
    @Dependency(\.continuousClock) var clock
    return EngineSetting(soundCard: soundCard, idleTime: idleTime, clock: clock)
  }

  /// What to ask a device for, to play a source of this format as the request says.
  func openingRequest(for request: PlaybackRequest, _ source: AudioFormat) -> PCMRequest {
    let wanted = idleTime > .zero ? source.widened : source
    return PCMRequest(
      device: request.device, format: request.deviceFormat ?? wanted,
      buffering: request.buffering)
  }
}

extension PlaybackRequest {
  /// Where nobody follows closely, more is held and the device served seldom.
  fileprivate var buffering: PCMBuffering {
    let isFollowed = progressInterval < .milliseconds(250)
    return latency == .normal && !isFollowed ? .unattendedPlayback : latency.buffering
  }
}

extension PCMBuffering {
  /// A half more than in ordinary playback, of which a third is filled at a time.
  static let unattendedPlayback = PCMBuffering(period: .milliseconds(25), periodCount: 6)
}

extension PlaybackLatency {
  fileprivate var buffering: PCMBuffering {
    switch self {
    case .normal: .playback
    case .low: .lowLatency
    }
  }
}
