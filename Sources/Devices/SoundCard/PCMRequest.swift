public import AudioCore

/// The configuration that an engine requests; the device reports the actual configuration.
public struct PCMRequest: Hashable, Sendable {
  /// The device, or nil for the default one.
  public var device: AudioDevice.ID?

  /// The preferred rate and channel count.
  public var format: AudioFormat

  /// The buffer size and the wake-up period.
  public var buffering: PCMBuffering

  /// Whether the device's native rate takes precedence over that of `format`.
  ///
  /// Hardware offers only its native rates. A sound server accepts every rate, but its resampler is
  /// worse than ours, so a request to a server is for 48 kHz, the most common server rate.
  public var prefersNativeRate: Bool

  /// The time limit for opening before `notResponding` is thrown; nil means no limit.
  ///
  /// A call into a hanging sound server cannot be canceled, so its thread remains after the limit.
  /// A caller that retries passes nil, because each attempt must wait for the end of the previous
  /// attempt.
  public var openingLimit: Duration? = .seconds(5)

  /// Creates a request, by default with the buffering of ordinary playback.
  public init(
    device: AudioDevice.ID? = nil, format: AudioFormat, buffering: PCMBuffering = .playback,
    prefersNativeRate: Bool = false
  ) {
    self.device = device
    self.format = format
    self.buffering = buffering
    self.prefersNativeRate = prefersNativeRate
  }
}

/// The wake-up period of a device and the number of periods in its buffer.
public struct PCMBuffering: Hashable, Sendable {
  /// The time between wake-ups.
  public var period: Duration

  /// The number of periods in the device's buffer, at least 2.
  public var periodCount: Int

  /// Creates buffering of `periodCount` periods.
  public init(period: Duration, periodCount: Int) {
    self.period = period
    self.periodCount = periodCount
  }

  /// 25 ms × 4, for ordinary playback.
  public static let playback = PCMBuffering(period: .milliseconds(25), periodCount: 4)

  /// 5 ms × 3, for low latency at the cost of more wake-ups.
  public static let lowLatency = PCMBuffering(period: .milliseconds(5), periodCount: 3)

  /// 20 ms × 10, for recording and capture.
  ///
  /// A recording and a capture can share a device, so both use the same buffering.
  public static let capture = PCMBuffering(period: .milliseconds(20), periodCount: 10)
}

extension AudioFormat {
  /// The format for a device that other streams may share: at least 44.1 kHz and 2 channels.
  ///
  /// A lower rate becomes 44.1 kHz if it divides 44,100, and otherwise 48 kHz.
  package var widened: AudioFormat {
    let rate = sampleRate.hertz
    let wider: SampleRate =
      if rate >= 44_100 { sampleRate } else if 44_100 % rate == 0 { 44_100 } else { 48_000 }
    return AudioFormat(sampleRate: wider, channelCount: max(2, channelCount))
  }
}
