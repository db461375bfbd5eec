public import AudioCore

/// What an engine asks of a device; the device may settle on something else and says so.
public struct PCMRequest: Hashable, Sendable {
  /// The device, or nil for the default one.
  public var device: AudioDevice.ID?

  /// The rate and channels that need no conversion.
  public var format: AudioFormat

  /// How much the device holds, and how often it wakes the engine.
  public var buffering: PCMBuffering

  /// Whether the device's own rate matters more than that of `format`.
  ///
  /// A card offers its own rates alone; a sound server offers every rate and converts, worse than
  /// we do, so that it is then asked for 48 kHz, which most of them run at.
  public var prefersNativeRate: Bool

  /// How long opening may take until `notAnswering` is thrown; nil for as long as it takes.
  ///
  /// A call into a sound server that hangs cannot be ended: it keeps its thread after the limit.
  /// Nil suits a caller that retries: each try begins after the one before it has returned.
  public var openingLimit: Duration? = .seconds(5)

  /// A request for a device, by default with the buffering of ordinary playback.
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

/// The card's wake-up block and how many of them its buffer holds.
public struct PCMBuffering: Hashable, Sendable {
  /// The time between two wake-ups.
  public var period: Duration

  /// The periods that the device's buffer holds, at least 2.
  public var periodCount: Int

  /// Buffering of `periodCount` periods.
  public init(period: Duration, periodCount: Int) {
    self.period = period
    self.periodCount = periodCount
  }

  /// 25 ms × 4, for ordinary playback.
  public static let playback = PCMBuffering(period: .milliseconds(25), periodCount: 4)

  /// 5 ms × 3, where a quick answer matters more than sleep.
  public static let lowLatency = PCMBuffering(period: .milliseconds(5), periodCount: 3)

  /// 50 ms × 4, for recording to a file.
  public static let recording = PCMBuffering(period: .milliseconds(50), periodCount: 4)

  /// 20 ms × 4, for live capture.
  public static let capture = PCMBuffering(period: .milliseconds(20), periodCount: 4)
}

extension AudioFormat {
  /// The format in which to open a device for whoever else may come: at least two channels and
  /// 44.1 kHz, at a multiple of this one's rate where there is one.
  package var widened: AudioFormat {
    let rate = sampleRate.hertz
    let wider: SampleRate =
      if rate >= 44_100 { sampleRate } else if 44_100 % rate == 0 { 44_100 } else { 48_000 }
    return AudioFormat(sampleRate: wider, channelCount: max(2, channelCount))
  }
}
