public import AudioCore

/// What to play, on what, and how.
public struct PlaybackRequest: Sendable {
  /// What is played, one after the other and without a gap; none is an error.
  public var items: [PlaybackItem]

  /// How often the list of items is played: after the last one the first follows, without a gap.
  ///
  /// Each round plays each item as often as it says; a round that gives nothing is the last. What
  /// is enqueued is a part of the list from then on. Streams can be played once only.
  public var cycle: PlaybackRepetition

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
  /// The fall ends with the sound however short that is: one that is shorter than its fall is never
  /// heard at its volume. So much of it is kept in memory while it plays; more than 60 s is an
  /// error. What is appended after that end has been decoded begins at its volume.
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
  /// A longer interval saves work where no progress is shown; the other events of the items come as
  /// late. From 250 ms on, a sound that opens its device has it hold 150 ms and
  /// not 100, and filled less often: what is wished of the sound is heard as much later.
  public var progressInterval: Duration

  /// What becomes of it where the device is lost.
  ///
  /// While the device is away time stands still. When it is back, what the device was given and, as
  /// far as it had said, not played comes first, up to four of its buffers, and then what follows:
  /// nothing is left out, and what it had played since it was last asked, some milliseconds, is
  /// heard twice. A request without a device goes on on what is the default device then. One that
  /// is back with another rate or other channels is an error. `stop`, `pause`, `seek` and the like
  /// do what they should in the meantime, without a fade; a device that does not answer is not
  /// opened anew, and they may wait for it.
  public var onDeviceLoss: DeviceLossPolicy

  /// A request that plays `source` once on the default device and the bus `main`, unless it says
  /// otherwise.
  public init(
    source: PlaybackSource, device: AudioDevice.ID? = nil, volume: Float = 1,
    repetition: PlaybackRepetition = .times(1), range: PlaybackRange = PlaybackRange(),
    id: PlaybackID = PlaybackID(), fadeIn: Duration = .zero, fadeOut: Duration = .zero,
    bus: PlaybackBus = .main, latency: PlaybackLatency = .normal, deviceFormat: AudioFormat? = nil,
    progressInterval: Duration = .milliseconds(50), onDeviceLoss: DeviceLossPolicy = .fail
  ) {
    self.init(
      items: [PlaybackItem(source: source, range: range, repetition: repetition)],
      device: device, volume: volume, id: id, fadeIn: fadeIn, fadeOut: fadeOut, bus: bus,
      latency: latency, deviceFormat: deviceFormat, progressInterval: progressInterval,
      onDeviceLoss: onDeviceLoss)
  }

  /// A request that plays items one after the other, without a gap, once unless it says otherwise.
  public init(
    items: [PlaybackItem], cycle: PlaybackRepetition = .times(1), device: AudioDevice.ID? = nil,
    volume: Float = 1,
    id: PlaybackID = PlaybackID(), fadeIn: Duration = .zero, fadeOut: Duration = .zero,
    bus: PlaybackBus = .main, latency: PlaybackLatency = .normal, deviceFormat: AudioFormat? = nil,
    progressInterval: Duration = .milliseconds(50), onDeviceLoss: DeviceLossPolicy = .fail
  ) {
    self.items = items
    self.cycle = cycle
    self.device = device
    self.volume = volume
    self.id = id
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.bus = bus
    self.latency = latency
    self.deviceFormat = deviceFormat
    self.progressInterval = progressInterval
    self.onDeviceLoss = onDeviceLoss
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
