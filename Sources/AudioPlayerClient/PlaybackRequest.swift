public import AudioCore

/// What to play, on what, and how.
public struct PlaybackRequest: Sendable {
  /// What is played, one after the other and without a gap; none is an error.
  public var items: [PlaybackItem]

  /// The device, or nil for the default one, or for that of the first sound where it is
  /// preloaded.
  public var device: AudioDevice.ID?

  /// The volume of this sound, 0…1; it is multiplied with its bus's and the
  /// client's.
  public var volume: Float

  /// The name by which `control` knows the playback.
  public var id: PlaybackID

  /// How long the sound takes to reach its volume, from its first frame on.
  public var fadeIn: Duration

  /// How long it takes to fall to silence, up to its last frame.
  ///
  /// So much of it is kept in memory while it plays; more than 60 s is an error. What is appended after that end has been
  /// decoded begins at its volume.
  public var fadeOut: Duration

  /// The bus that it sounds on; see `AudioPlayerClient.setBusVolume`.
  public var bus: PlaybackBus

  /// How quickly it is heard; it holds for the device, where this sound is what opens it.
  public var latency: PlaybackLatency

  /// The format to open the device in, nil for one that suits the source; it holds where this sound
  /// is what opens it.
  ///
  /// The device may settle on another; `PlaybackStart.format` tells which.
  public var deviceFormat: AudioFormat?

  /// How often the progress is told while it plays: after so much sound, 50 ms at least.
  ///
  /// Whoever shows no progress saves work by asking for it seldom; what else there is to tell of
  /// the items comes as late.
  public var progressInterval: Duration

  /// A request that plays `source` once on the default device and the bus `main`, unless it says
  /// otherwise.
  public init(
    source: PlaybackSource, device: AudioDevice.ID? = nil, volume: Float = 1,
    repetition: PlaybackRepetition = .times(1), range: PlaybackRange = PlaybackRange(),
    id: PlaybackID = PlaybackID(), fadeIn: Duration = .zero, fadeOut: Duration = .zero,
    bus: PlaybackBus = .main, latency: PlaybackLatency = .normal, deviceFormat: AudioFormat? = nil,
    progressInterval: Duration = .milliseconds(50)
  ) {
    self.init(
      items: [PlaybackItem(source: source, range: range, repetition: repetition)],
      device: device, volume: volume, id: id, fadeIn: fadeIn, fadeOut: fadeOut, bus: bus,
      latency: latency, deviceFormat: deviceFormat, progressInterval: progressInterval)
  }

  /// A request that plays items one after the other, without a gap.
  public init(
    items: [PlaybackItem], device: AudioDevice.ID? = nil, volume: Float = 1,
    id: PlaybackID = PlaybackID(), fadeIn: Duration = .zero, fadeOut: Duration = .zero,
    bus: PlaybackBus = .main, latency: PlaybackLatency = .normal, deviceFormat: AudioFormat? = nil,
    progressInterval: Duration = .milliseconds(50)
  ) {
    self.items = items
    self.device = device
    self.volume = volume
    self.id = id
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.bus = bus
    self.latency = latency
    self.deviceFormat = deviceFormat
    self.progressInterval = progressInterval
  }

  /// Where the audio of the first item comes from.
  public var source: PlaybackSource {
    get { first.source }
    set { first.source = newValue }
  }

  /// How often the first item is played.
  public var repetition: PlaybackRepetition {
    get { first.repetition }
    set { first.repetition = newValue }
  }

  /// The part of the first item's source that is played.
  public var range: PlaybackRange {
    get { first.range }
    set { first.range = newValue }
  }

  private var first: PlaybackItem {
    get { items.first ?? PlaybackItem(source: .buffers([])) }
    set { items.replaceSubrange(0..<min(1, items.count), with: [newValue]) }
  }
}
