import AudioCore
import AudioPlayerClient
import SoundCard

extension PlaybackRequest {
  /// The request to open a device for a source of this format.
  ///
  /// `idleTime` is the time for which the device stays open after its last sound.
  func deviceRequest(for source: AudioFormat, idleTime: Duration) -> PCMRequest {
    PCMRequest(
      device: device, format: deviceFormat ?? (idleTime > .zero ? source.widened : source),
      buffering: buffering)
  }

  /// The buffering of the device: the less often progress is reported, the larger the buffer, and
  /// the less often the audio thread wakes.
  ///
  /// A live stream arrives too slowly to fill a large buffer, so its buffering depends only on the
  /// latency.
  private var buffering: PCMBuffering {
    let isLive = items.contains { if case .stream = $0.source { true } else { false } }
    guard latency == .normal, progressInterval >= .milliseconds(250), !isLive else {
      return latency.buffering
    }
    return progressInterval < .seconds(2) ? .unwatchedPlayback : .unattendedPlayback
  }
}

extension PCMBuffering {
  /// A buffer 1.5 times as long as `.playback`; the audio thread refills it once a third of it is
  /// free.
  static let unwatchedPlayback = PCMBuffering(period: .milliseconds(25), periodCount: 6)

  /// A buffer of 2 s, for progress intervals of 2 s or more; a stop without a fade discards the
  /// buffered audio.
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
