public import AudioCore
import AudioThreads
public import SoundCard
import Synchronization

/// A sound card in memory: it stores the played audio and captures a given signal.
///
/// It supports any rate and channel count with exactly the requested buffering. Set `$0.soundCard`
/// in `withDependencies` to its `soundCard`.
public final class VirtualSoundCard: Sendable {
  /// The card's only device, for playback and capture.
  public static let device = AudioDevice(
    id: "virtual", name: "Virtual sound card (no hardware)", directions: [.playback, .capture],
    isVirtual: true)

  /// The highest supported rate.
  ///
  /// Buffers grow with the rate. Only a damaged file header contains a higher rate.
  private static let highestRate: SampleRate = 768_000

  /// The time limit for opening a device.
  private static let openingLimit = Duration.seconds(5)

  /// The time base.
  let pace: VirtualPace
  /// The scripted faults, in frame order.
  let faults: [VirtualFault]
  let keepsPlayback: Bool
  let microphone: VirtualMicrophone
  private let sampleRate: SampleRate?
  /// The time since `madeAt` by the card's clock; nil for an untimed card.
  let time: Stopwatch?
  let madeAt = ContinuousClock.now
  /// Makes a test clock wait for the consumers of the card's audio; nil for any other clock.
  let lockstep: Lockstep?
  /// Reports when the card is connected or unplugged.
  let changes = DeviceChanges()
  // The lock is held for a few instructions by a device's thread or pacing task, by an opening, or
  // by an observer.
  let state: Mutex<(isUnplugged: Bool, script: VirtualScript, openDevices: Int)>
  // The lock is held for a few instructions; wakers and tasks are resumed after its release.
  let blocked = Mutex<
    (
      calls: [ObjectIdentifier: (call: PCMCall, waker: WakeUp)],
      waiting: [CheckedContinuation<PCMCall, Never>], isReleased: Bool
    )
  >(([:], [], false))
  // The lock is held while a device's thread or a test appends or reads samples.
  let kept = Mutex<[KeptPlayback]>([])

  /// Creates a card, by default a real-time card without faults that captures silence.
  ///
  /// - Parameters:
  ///   - pace: the time base.
  ///   - microphone: the captured signal.
  ///   - keepsPlayback: whether played samples are kept for `played`; memory use grows with them.
  ///     A loopback always keeps them.
  ///   - faults: the scripted faults, in frame order; every opening starts from the first fault.
  ///   - sampleRate: the only supported sample rate, or nil for any.
  public init(
    pace: VirtualPace = .realTime, microphone: VirtualMicrophone = .signal(.silence),
    keepsPlayback: Bool = true, faults: [VirtualFault] = [], sampleRate: SampleRate? = nil
  ) {
    (self.pace, self.microphone, self.faults) = (pace, microphone, faults)
    let isLoopback = !microphone.echoes.isEmpty
    self.keepsPlayback = keepsPlayback || isLoopback
    let loopbackRate = isLoopback ? microphone.format?.sampleRate ?? 48_000 : nil
    self.sampleRate = sampleRate ?? loopbackRate
    time = pace.stopwatch
    lockstep = pace.makeLockstep()
    state = Mutex((false, VirtualScript(faults), 0))
  }

  /// The client value for engines.
  public var soundCard: SoundCard {
    var soundCard = SoundCard(
      devices: { [Self.device] },
      openPlayback: { try await self.open(.playback, $0) },
      openCapture: { try await self.open(.capture, $0) },
      deviceChanges: { self.changes.stream() })
    soundCard.lockstep = lockstep
    soundCard.identity = ObjectIdentifier(self)
    if let time { soundCard.now = { [madeAt] in madeAt + time.elapsed() } }
    return soundCard
  }

  /// The audio played by each opened playback device, in opening order, without dropped frames.
  public var played: [AudioBuffer] {
    kept.withLock { $0.map { AudioBuffer(format: $0.format, samples: $0.samples) } }
  }

  /// The number of open devices of both directions; releasing a device closes it.
  public var openDeviceCount: Int { state.withLock { $0.openDevices } }

  /// Whether the card can be opened; false while it is unplugged.
  public var isPluggedIn: Bool { state.withLock { !$0.isUnplugged } }

  /// Returns the next call that a script blocks.
  ///
  /// Cancellation does not end the wait.
  public func blockedCall() async -> PCMCall {
    await withCheckedContinuation { continuation in
      let call = blocked.withLock { blocked in
        let call = blocked.calls.values.first?.call
        if call == nil { blocked.waiting.append(continuation) }
        return call
      }
      if let call { continuation.resume(returning: call) }
    }
  }

  /// Releases all blocked calls, as when a sound server resumes or is killed; later calls do not
  /// block.
  public func releaseBlockedCalls() {
    let wakers = blocked.withLock { blocked in
      blocked.isReleased = true
      return blocked.calls.values.map(\.waker)
    }
    for waker in wakers { waker.signal() }
  }

  private func open(
    _ direction: AudioDevice.Direction, _ request: PCMRequest
  ) async throws -> VirtualDevice {
    try await enter(request, direction)
    let microphone = direction == .capture ? self.microphone : nil
    if let microphone, !microphone.echoes.isEmpty, time == nil {
      let reason = "a loopback needs a card with a clock; choose another pace than .untimed"
      throw SoundCardError.unsupported(Self.device.id, reason: reason)
    }
    let configuration = try configuration(for: request, format: microphone?.format)
    let fill: VirtualMicrophone.Fill?
    do {
      fill = try microphone?.makeFill(configuration.format)
    } catch {
      throw SoundCardError.unsupported(Self.device.id, reason: "\(error)")
    }
    let device = try VirtualDevice(
      direction, configuration: configuration, card: self, fill: fill)
    device.open()
    return device
  }

  /// Blocks or fails an opening as scripted.
  private func enter(_ request: PCMRequest, _ direction: AudioDevice.Direction) async throws {
    try check(request, direction)
    if !areCallsReleased, let time = popOpenBlock() {
      try await pace.stopwatch?.sleep(min(time, Self.openingLimit))
      try Task.checkCancellation()
      guard time <= Self.openingLimit else {
        throw SoundCardError.notResponding(Self.device.id, operation: "open")
      }
    }
    if let error = popOpenFailure() { throw error }
  }

  private func check(
    _ request: PCMRequest, _ direction: AudioDevice.Direction
  ) throws(SoundCardError) {
    guard let id = request.device, id != Self.device.id else {
      if !isPluggedIn { throw .unknownDevice(Self.device.id, direction) }
      return
    }
    throw .unknownDevice(id, direction)
  }

  private func configuration(
    for request: PCMRequest, format: AudioFormat?
  ) throws(SoundCardError) -> PCMConfiguration {
    var format = format ?? request.format
    if let rate = sampleRate { format.sampleRate = rate }
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
