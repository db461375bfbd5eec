public import AudioCore
import AudioThreads
public import SoundCard
import Synchronization

/// A sound card in memory: it stores the played audio and captures a given signal.
///
/// It supports any rate and channel count with exactly the requested buffering. Set `$0.soundCard`
/// in `withDependencies` to its `soundCard`.
public final class VirtualSoundCard: Sendable {
  /// The configuration of a virtual card.
  public struct Setup: Sendable {
    /// The time base.
    public var pace: VirtualPace
    /// The captured signal.
    public var microphone: VirtualMicrophone
    /// Whether played samples are kept for `played`; memory use grows with them.
    public var keepsPlayback: Bool
    /// The scripted faults, in frame order; every opening starts from the first.
    public var faults: [VirtualFault]
    /// The only supported sample rate, or nil for any.
    public var sampleRate: SampleRate?

    /// Creates a setup, by default for a real-time card without faults that captures silence.
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

  /// The card's only device, for playback and capture.
  public static let device = AudioDevice(
    id: "virtual", name: "Virtual sound card (no hardware)", directions: [.playback, .capture],
    isVirtual: true)

  /// The highest rate.
  ///
  /// Buffers grow with the rate, and a higher rate comes from a damaged file header.
  private static let highestRate: SampleRate = 768_000

  /// The time limit for opening a device.
  private static let openingLimit = Duration.seconds(5)

  private let setup: Setup
  private let card: VirtualCardState
  // The lock is held for a few instructions when a device is opened or inspected, never while a
  // device waits.
  private let opened = Mutex<(playbacks: [VirtualDevice], openCount: Int)>(([], 0))

  /// Creates a card.
  public init(_ setup: Setup = Setup()) {
    self.setup = setup
    card = VirtualCardState(setup.faults, lockstep: setup.pace.makeLockstep())
  }

  /// The client value for engines.
  public var soundCard: SoundCard {
    var soundCard = SoundCard(
      devices: { [Self.device] },
      openPlayback: { try await self.open(.playback, $0) },
      openCapture: { try await self.open(.capture, $0) },
      deviceChanges: { self.card.changes.stream() })
    soundCard.lockstep = card.lockstep
    soundCard.identity = ObjectIdentifier(card)
    return soundCard
  }

  /// The audio played by each opened playback device, in opening order, without dropped frames.
  public var played: [AudioBuffer] {
    opened.withLock { $0.playbacks }.map(\.played)
  }

  /// The number of open devices of both directions.
  public var openDeviceCount: Int {
    opened.withLock { $0.openCount }
  }

  /// Whether the card can be opened; false while it is unplugged.
  public var isPluggedIn: Bool { card.isPluggedIn }

  /// Returns the next call that a script blocks.
  ///
  /// Cancellation does not end the wait.
  public func blockedCall() async -> VirtualFault.Call {
    await card.blockedCall()
  }

  /// Releases all blocked calls, as when a sound server resumes or is killed; later calls do not
  /// block.
  public func releaseBlockedCalls() {
    card.releaseCalls()
  }

  private func open(
    _ direction: AudioDevice.Direction, _ request: PCMRequest
  ) async throws -> VirtualDevice {
    try await enter(request, direction)
    let microphone = direction == .capture ? setup.microphone : nil
    let configuration = try configuration(for: request, format: microphone?.format)
    let fill: VirtualMicrophone.Fill?
    do {
      fill = try microphone?.makeFill(configuration.format)
    } catch {
      throw SoundCardError.unsupported(Self.device.id, reason: "\(error)")
    }
    let device = try VirtualDevice(
      direction, configuration: configuration, pace: setup.pace, card: card,
      keepsPlayback: direction == .playback && setup.keepsPlayback, fill: fill,
      onClose: { [weak self] in self?.opened.withLock { $0.openCount -= 1 } })
    opened.withLock { opened in
      opened.openCount += 1
      if direction == .playback, setup.keepsPlayback { opened.playbacks.append(device) }
    }
    device.open()
    return device
  }

  /// Blocks or fails an opening as scripted.
  private func enter(_ request: PCMRequest, _ direction: AudioDevice.Direction) async throws {
    try check(request, direction)
    if !card.areCallsReleased, let time = card.popOpenBlock() {
      try await setup.pace.stopwatch?.sleep(min(time, Self.openingLimit))
      try Task.checkCancellation()
      guard time <= Self.openingLimit else {
        throw SoundCardError.notResponding(Self.device.id, operation: "open")
      }
    }
    if let error = card.popOpenFailure() { throw error }
  }

  private func check(
    _ request: PCMRequest, _ direction: AudioDevice.Direction
  ) throws(SoundCardError) {
    guard let id = request.device, id != Self.device.id else {
      if !card.isPluggedIn { throw .unknownDevice(Self.device.id, direction) }
      return
    }
    throw .unknownDevice(id, direction)
  }

  private func configuration(
    for request: PCMRequest, format: AudioFormat?
  ) throws(SoundCardError) -> PCMConfiguration {
    var format = format ?? request.format
    if let rate = setup.sampleRate { format.sampleRate = rate }
    guard format.sampleRate <= Self.highestRate, format.channelCount <= 64 else {
      throw .unsupported(
        Self.device.id,
        reason: "it supports at most \(Self.highestRate) and 64 channels, not \(format)")
    }
    // The period and the buffer are limited, as on a real card.
    let longest = FrameCount(.seconds(60), at: format.sampleRate)
    let period = min(max(1, FrameCount(request.buffering.period, at: format.sampleRate)), longest)
    return PCMConfiguration(
      device: Self.device.id, format: format, sampleFormat: .float32, period: period,
      buffer: FrameCount(period.rawValue * min(max(2, request.buffering.periodCount), 1_000)))
  }
}
