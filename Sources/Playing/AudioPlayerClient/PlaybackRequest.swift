public import AudioCore

/// A request to play items on a device.
public struct PlaybackRequest: Sendable {
  /// The items, played in order without gaps; an empty list is an error.
  public var items: [PlaybackItem]

  /// The number of rounds of the list, played without gaps.
  ///
  /// Each round plays every item with its repetitions. Playback ends after a round without audio.
  /// Enqueued items become part of the list. A list with a stream can be played only once.
  public var cycle: PlaybackRepetition

  /// The device; nil for the device of a preloaded first sound, or else the default device.
  public var device: AudioDevice.ID?

  /// The volume of this sound, 0 to 10, multiplied by the volumes of its bus and the client.
  ///
  /// A volume above 1 amplifies; the limiter keeps the sum of all sounds within full scale.
  public var volume: Float

  /// The largest volume.
  package static let loudest: Float = 10

  /// The speed at the original pitch, 0.25 to 4: the seconds of source audio played per second.
  ///
  /// Speeds other than 1 need SoundTouch, loaded at run time. Fades and `PlaybackProgress.played`
  /// are in seconds of playback. Times of an item are in seconds of its source, accurate to within
  /// 100 ms.
  public var speed: Double

  /// The accepted speeds.
  package static let speeds = 0.25...4

  /// The ID for `control`.
  public var id: PlaybackID

  /// The duration of the fade-in from the first frame.
  public var fadeIn: Duration

  /// The duration of the fade-out to the last frame, at most 60 s.
  ///
  /// A sound that is shorter than its fade-out never reaches full volume. The fade-out is kept in
  /// memory while the sound plays. If an item is enqueued after the last frame was decoded, the
  /// earlier audio still fades out, and the new item begins at full volume.
  public var fadeOut: Duration

  /// The bus; see `AudioPlayerClient.setBusVolume`.
  public var bus: PlaybackBus

  /// The gains of buses while this sound plays, such as `[.music: .decibels(-14)]`.
  ///
  /// A gain applies on all devices, from the sound's first frame until the sound ends for any
  /// reason. It applies while the sound waits for a lost device, but not while the sound is paused.
  /// The gain is multiplied by the volume of the bus, which can be set meanwhile. If several sounds
  /// duck a bus, the lowest of their gains applies. Gains above 0 dB and NaN count as 0 dB. A sound
  /// that ducks its own bus is attenuated, too.
  public var ducking: [PlaybackBus: Decibels]

  /// The time in which the ducked buses reach their gains when the ducking begins or ends.
  public var duckingRamp: Duration

  /// The latency of the device, if this sound opens it.
  public var latency: PlaybackLatency

  /// The audio that must arrive before the sound begins, at most a second; nil for the length of
  /// the device's buffer: 100 ms, or 15 ms with a low latency.
  ///
  /// The prefill delays a live stream by this time. A shorter prefill begins sooner, and a longer
  /// prefill bridges gaps between the stream's buffers. With the clock `.source`, the default is
  /// 1.5 times that.
  public var prefill: Duration?

  /// The clock that paces streams and named pipes; files and buffers always follow the device.
  public var clock: PlaybackClock

  /// The device format, if this sound opens the device; nil for a format that suits the source.
  ///
  /// The device may use another format; see `PlaybackStart.format`.
  public var deviceFormat: AudioFormat?

  /// The interval of progress events, at least 50 ms.
  ///
  /// Longer intervals save work, but also delay the other events of an item. A device opened by
  /// this sound buffers 150 ms instead of 100 ms if the interval is at least 250 ms, and 2 s if it
  /// is at least 2 s. The buffer is filled less often, so commands take effect later. With a buffer
  /// of 2 s, a stop without a fade discards the buffered audio.
  public var progressInterval: Duration

  /// The behavior when the device is lost.
  ///
  /// While the device is lost, the playhead does not move, and commands such as `stop`, `pause`,
  /// and `seek` take effect without fades. After the device returns, playback resumes at the same
  /// position; a few milliseconds may repeat. Up to four device buffers of unplayed frames are
  /// written again, and no frame is skipped. A request without a device continues on the current
  /// default device. If the device returns with another rate or channel count, the playback fails.
  /// A device that hangs is not reopened, and commands may wait for it.
  public var onDeviceLoss: DeviceLossPolicy

  /// Creates a request for one source, by default played once on the default device and the bus
  /// `main`.
  public init(
    source: PlaybackSource, device: AudioDevice.ID? = nil, volume: Float = 1, speed: Double = 1,
    repetition: PlaybackRepetition = .times(1), range: PlaybackRange = PlaybackRange(),
    id: PlaybackID = PlaybackID(), fadeIn: Duration = .zero, fadeOut: Duration = .zero,
    bus: PlaybackBus = .main, ducking: [PlaybackBus: Decibels] = [:],
    duckingRamp: Duration = .milliseconds(200), latency: PlaybackLatency = .normal,
    prefill: Duration? = nil, clock: PlaybackClock = .device,
    deviceFormat: AudioFormat? = nil, progressInterval: Duration = .milliseconds(50),
    onDeviceLoss: DeviceLossPolicy = .fail
  ) {
    self.init(
      items: [PlaybackItem(source: source, range: range, repetition: repetition)],
      device: device, volume: volume, speed: speed, id: id, fadeIn: fadeIn, fadeOut: fadeOut,
      bus: bus, ducking: ducking, duckingRamp: duckingRamp,
      latency: latency, prefill: prefill, clock: clock, deviceFormat: deviceFormat,
      progressInterval: progressInterval,
      onDeviceLoss: onDeviceLoss)
  }

  /// Creates a request for items in order, by default played once.
  public init(
    items: [PlaybackItem], cycle: PlaybackRepetition = .times(1), device: AudioDevice.ID? = nil,
    volume: Float = 1, speed: Double = 1,
    id: PlaybackID = PlaybackID(), fadeIn: Duration = .zero, fadeOut: Duration = .zero,
    bus: PlaybackBus = .main, ducking: [PlaybackBus: Decibels] = [:],
    duckingRamp: Duration = .milliseconds(200), latency: PlaybackLatency = .normal,
    prefill: Duration? = nil, clock: PlaybackClock = .device,
    deviceFormat: AudioFormat? = nil, progressInterval: Duration = .milliseconds(50),
    onDeviceLoss: DeviceLossPolicy = .fail
  ) {
    self.items = items
    self.cycle = cycle
    self.device = device
    self.volume = volume
    self.speed = speed
    self.id = id
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.bus = bus
    self.ducking = ducking
    self.duckingRamp = duckingRamp
    self.latency = latency
    self.prefill = prefill
    self.clock = clock
    self.deviceFormat = deviceFormat
    self.progressInterval = progressInterval
    self.onDeviceLoss = onDeviceLoss
  }

  /// The source of the first item.
  public var source: PlaybackSource {
    get { first.source }
    set { first.source = newValue }
  }

  /// The repetitions of the first item.
  public var repetition: PlaybackRepetition {
    get { first.repetition }
    set { first.repetition = newValue }
  }

  /// The range of the first item.
  public var range: PlaybackRange {
    get { first.range }
    set { first.range = newValue }
  }

  private var first: PlaybackItem {
    get { items.first ?? PlaybackItem(source: .buffers([])) }
    set { items.replaceSubrange(0..<min(1, items.count), with: [newValue]) }
  }
}

/// The amount of audio buffered in the device.
public enum PlaybackLatency: String, Hashable, Sendable {
  /// 100 ms, or up to 2 s if progress is reported rarely; tolerates a busy machine and saves
  /// wake-ups.
  case normal
  /// 15 ms: new sounds are played almost at once.
  case low
}

/// The clock that paces a stream.
public enum PlaybackClock: String, Hashable, Sendable {
  /// The device's clock, for audio that is made or decoded on demand.
  ///
  /// Each sample is played unchanged. A live source with a slower clock causes a dropout from time
  /// to time, and a source with a faster clock accumulates a growing delay.
  case device
  /// The source's clock, for audio that arrives in real time, from a microphone or a network.
  ///
  /// The rate is adjusted inaudibly, by at most 0.1 % and 0.01 % per second, so that the device
  /// always has `prefill` left to play when a buffer arrives; the minimum is three periods. Clocks
  /// may differ by 500 ppm. The adjustment itself adds 240 frames of delay.
  ///
  /// A dropout lasts until `prefill` has arrived again. Audio that waits longer than usual by
  /// 250 ms, or by `prefill` if that is longer, is skipped, for example after a pause. If buffers
  /// arrive in bursts, set `prefill` to the longest time between bursts. Buffers and the times
  /// between bursts may last up to 1 s. At a speed other than 1, this clock has no effect.
  case source
}

/// An item of a playback; items play in order without gaps.
public struct PlaybackItem: Sendable {
  /// The source of the audio.
  public var source: PlaybackSource

  /// The part of the source that is played.
  public var range: PlaybackRange

  /// The number of repetitions; after an endless item, only `skip` reaches the next item.
  public var repetition: PlaybackRepetition

  /// The item's gain, such as its ReplayGain, at most 20 dB; applied before all volumes.
  public var gain: Decibels

  /// Creates an item that by default plays all of `source` once.
  public init(
    source: PlaybackSource, range: PlaybackRange = PlaybackRange(),
    repetition: PlaybackRepetition = .times(1), gain: Decibels = Decibels(0)
  ) {
    self.source = source
    self.range = range
    self.repetition = repetition
    self.gain = gain
  }
}

/// A group of sounds with its own volume, such as all music; any name creates a bus.
///
/// A bus lasts as long as its player, so use few names. The volumes of the sound, its bus, and the
/// client are multiplied; `PlaybackRequest.ducking` lowers a bus while another sound plays.
public struct PlaybackBus: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name of the bus.
  public var rawValue: String

  /// Creates the bus with a name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates the bus with a name.
  public init(stringLiteral name: String) {
    rawValue = name
  }

  /// The default bus.
  public static let main: PlaybackBus = "main"
  /// The bus for music.
  public static let music: PlaybackBus = "music"
  /// The bus for short sounds, such as those of a user interface.
  public static let effects: PlaybackBus = "effects"
}
