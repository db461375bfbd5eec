public import AudioCore
public import SoundCard
import Synchronization

/// A sound card in this process: it takes what is played and hears what it is told to.
///
/// It gives any rate and any number of channels, and exactly the buffering that is asked for. Give
/// its `soundCard` to `withDependencies { $0.soundCard = … }`.
public final class VirtualSoundCard: Sendable {
  /// How to set it up.
  public struct Setup: Sendable {
    /// What sets its speed.
    public var pace: VirtualPace
    /// What its microphone hears.
    public var microphone: VirtualMicrophone
    /// Whether it keeps what is played, for a test to look at; memory then grows with it.
    public var keepsPlayback: Bool
    /// What goes wrong, in the order of the frames; every opening goes through it anew, but for
    /// what happens once.
    public var faults: [VirtualFault]
    /// The rate that it insists on, nil where it takes any.
    public var sampleRate: SampleRate?

    /// A card that keeps what is played, hears silence, and has no faults, unless it says
    /// otherwise.
    public init(
      pace: VirtualPace = .realTime, microphone: VirtualMicrophone = .signal(.silence),
      keepsPlayback: Bool = true, faults: [VirtualFault] = [], sampleRate: SampleRate? = nil
    ) {
      self.pace = pace
      self.microphone = microphone
      self.keepsPlayback = keepsPlayback
      self.faults = faults
      self.sampleRate = sampleRate
    }
  }

  /// The device that it offers, for playback and for capture.
  public static let device = AudioDevice(
    id: "virtual", name: "Virtual sound card (no hardware)", directions: [.playback, .capture],
    isVirtual: true)

  /// Buffers are sized by the rate: what no card has is a damaged header.
  private static let highestRate: SampleRate = 768_000

  /// The longest that opening a device takes.
  private static let openingLimit = Duration.seconds(5)

  private let setup: Setup
  private let plug: VirtualPlug
  // Held for a few instructions when a device is opened or looked at, never while one waits.
  private let opened = Mutex(Opened())

  private struct Opened {
    var playbacks: [VirtualPlayback] = []
    var openCount = 0
  }

  /// A card with this setup.
  public init(_ setup: Setup = Setup()) {
    self.setup = setup
    plug = VirtualPlug(setup.faults)
  }

  /// The card as engines see it.
  public var soundCard: SoundCard {
    SoundCard(
      devices: { [Self.device] },
      openPlayback: { try await self.openPlayback($0) },
      openCapture: { try await self.openCapture($0) },
      deviceChanges: { self.plug.changes() })
  }

  /// What each playback device that was opened has been given to hear, in the order of their
  /// opening.
  ///
  /// What was cut off by a stop is not in it.
  public var played: [AudioBuffer] {
    opened.withLock { $0.playbacks }.map(\.played)
  }

  /// How many devices of this card are open now, in both directions.
  public var openDeviceCount: Int {
    opened.withLock { $0.openCount }
  }

  /// Whether it can be opened: false while it is unplugged.
  public var isPluggedIn: Bool { plug.isIn }

  /// A call of an open device that is blocked by its script, as soon as there is one.
  ///
  /// Cancelling does not end the wait.
  public func blockedCall() async -> VirtualFault.Call {
    await plug.blocked.first()
  }

  /// Lets all calls return that are blocked, as when a sound server goes on or is killed; none
  /// blocks from now on.
  public func releaseBlockedCalls() {
    plug.blocked.release()
  }

  private func openPlayback(_ request: PCMRequest) async throws -> any PlaybackPCM {
    try await enter(request, .playback)
    let pcm = VirtualPlayback(
      try device(.playback, for: request, format: request.format), keeps: setup.keepsPlayback)
    opened.withLock { opened in
      opened.openCount += 1
      if setup.keepsPlayback { opened.playbacks.append(pcm) }
    }
    return pcm
  }

  private func openCapture(_ request: PCMRequest) async throws -> any CapturePCM {
    try await enter(request, .capture)
    let device = try device(
      .capture, for: request, format: setup.microphone.format ?? request.format)
    let pcm: VirtualCapture
    do {
      pcm = VirtualCapture(
        device, fill: try setup.microphone.makeFill(device.configuration.format))
    } catch {
      throw SoundCardError.unsupported(Self.device.id, reason: "\(error)")
    }
    opened.withLock { $0.openCount += 1 }
    return pcm
  }

  /// Begins to open the card as the script says: that takes its time, or fails.
  private func enter(_ request: PCMRequest, _ direction: AudioDevice.Direction) async throws {
    try check(request, direction)
    if !plug.blocked.isReleased, let block = plug.takeBlockOfOpening() {
      let time = block.time ?? .seconds(3_600)
      try await setup.pace.stopwatch?.sleep(min(time, Self.openingLimit))
      try Task.checkCancellation()
      guard time <= Self.openingLimit else {
        throw SoundCardError.notAnswering(Self.device.id, operation: "open")
      }
    }
    if let error = plug.takeFailureToOpen() { throw error }
  }

  private func check(
    _ request: PCMRequest, _ direction: AudioDevice.Direction
  ) throws(SoundCardError) {
    guard let id = request.device, id != Self.device.id else {
      if !plug.isIn { throw .unknownDevice(Self.device.id, direction) }
      return
    }
    throw .unknownDevice(id, direction)
  }

  private func device(
    _ direction: AudioDevice.Direction, for request: PCMRequest, format: AudioFormat
  ) throws(SoundCardError) -> VirtualDevice {
    var format = format
    if let rate = setup.sampleRate { format.sampleRate = rate }
    guard format.sampleRate <= Self.highestRate, format.channelCount <= 64 else {
      throw .unsupported(
        Self.device.id, reason: "it goes up to \(Self.highestRate) and 64 channels, not \(format)")
    }
    let period = max(1, FrameCount(request.buffering.period, at: format.sampleRate))
    let configuration = PCMConfiguration(
      device: Self.device.id, format: format, sampleFormat: .float32, period: period,
      buffer: FrameCount(period.rawValue * max(2, request.buffering.periodCount)))
    return try VirtualDevice(
      direction, configuration: configuration, pace: setup.pace, plug: plug,
      onClose: { [weak self] in self?.opened.withLock { $0.openCount -= 1 } })
  }
}
