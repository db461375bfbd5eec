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

  /// Whether streams are played at the rate at which they arrive.
  var followsSource: Bool { clock == .source && speed == 1 }

  /// Returns the audio to wait for before the sound begins on a device.
  ///
  /// If a stream sets the pace, this is also the audio to keep.
  func prefill(on device: PCMConfiguration) -> Duration {
    let buffer = Voice.prefill(on: device)
    guard followsSource else { return prefill ?? buffer }
    // With less, the device would run dry whenever a buffer is a little late.
    let least = device.period.duration(at: device.format.sampleRate) * 3
    return max(least, min(.seconds(1), prefill ?? buffer * 3 / 2))
  }

  /// The buffering of the device: the less often progress is reported, the larger the buffer, and
  /// the less often the audio thread wakes.
  ///
  /// A live stream arrives too slowly to fill a large buffer, so its buffering depends only on the
  /// latency.
  private var buffering: PCMBuffering {
    let isLive =
      followsSource
      || items.contains { if case .stream = $0.source { true } else { false } }
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
