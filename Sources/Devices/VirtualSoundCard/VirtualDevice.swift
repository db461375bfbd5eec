import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// An open virtual device of either direction; its transfers are in `VirtualPCM.swift`.
final class VirtualDevice: Sendable {
  let direction: AudioDevice.Direction
  let configuration: PCMConfiguration
  let waker: WakeUp
  /// The signal of a microphone.
  let fill: VirtualMicrophone.Fill?
  /// Signaled at each step of the card's time.
  let ticks: WakeUp
  let card: VirtualSoundCard
  /// The index of this device's played samples in `card.kept`; nil if they are not kept.
  private let playback: Int?
  /// Stops the time of a test clock while the engine is busy or a step is due.
  private let hold: TimeHold?
  // The lock is held for a few instructions by the audio thread and the pacing task, never while
  // either waits. The card's lock may be acquired while this lock is held, but not the reverse.
  private let shared:
    Mutex<(transfer: VirtualTransfer, idleState: EngineIdleState, pacer: Task<Void, Never>?)>

  /// Creates a device; `fill` is the signal of a capture.
  init(
    _ direction: AudioDevice.Direction, configuration: PCMConfiguration, card: VirtualSoundCard,
    fill: VirtualMicrophone.Fill? = nil
  ) throws(SoundCardError) {
    (self.direction, self.configuration) = (direction, configuration)
    (self.card, self.fill) = (card, fill)
    hold = TimeHold(card.lockstep, "the \(direction) engine")
    do {
      waker = try WakeUp()
      ticks = try WakeUp()
    } catch {
      throw .failed(
        configuration.device, operation: "open", code: error.code, reason: "\(error)")
    }
    let transfer = VirtualTransfer(
      direction: direction, configuration: configuration, script: card.script)
    shared = Mutex((transfer, EngineIdleState(), nil))
    playback = card.opened(direction, configuration.format)
  }

  deinit {
    end()
  }

  /// Starts to advance the device's time.
  func open() {
    let time = card.time?.elapsed() ?? .zero
    with { $0.time = time }
    let pacer = pace.start(for: self, at: time)
    shared.withLock { $0.pacer = pacer }
  }

  var pace: VirtualPace { card.pace }

  var isUntimed: Bool {
    if case .untimed = pace { true } else { false }
  }

  var isOpen: Bool { shared.withLock { !$0.idleState.isClosed } }

  var elapsed: Duration {
    with { $0.ticked }.duration(at: configuration.format.sampleRate)
  }

  func hostTime(at time: Duration) -> ContinuousClock.Instant {
    guard card.time != nil else { return .now - (elapsed - time) }
    return card.madeAt + with { $0.time - ($0.ticked.duration(at: $0.rate) - time) }
  }

  /// Changes the state under its lock.
  func with<Result: Sendable>(_ body: (inout VirtualTransfer) -> Result) -> Result {
    let (result, happened) = shared.withLock { shared in
      let result = body(&shared.transfer)
      defer { shared.transfer.happened = [] }
      // Faults are recorded under the lock. A thread that finds the device lost may reopen it at
      // once, and that must fail while the card is unplugged.
      for fault in shared.transfer.happened { card.record(fault) }
      return (result, shared.transfer.happened)
    }
    for fault in happened { card.report(fault) }
    return result
  }

  /// Changes the state of a device that is not lost; otherwise throws `deviceLost`.
  func withOpen<Result: Sendable>(
    _ body: (inout VirtualTransfer) -> Result
  ) throws(SoundCardError) -> Result {
    let result = with { $0.isGone ? nil : body(&$0) }
    guard let result else { throw .deviceLost(configuration.device) }
    return result
  }

  /// Advances the device's time by `frames`, to the card time `time`; returns false if the device
  /// is closed.
  func tick(_ frames: FrameCount, at time: Duration) -> Bool {
    // Changes the state before waiters are woken.
    let played = with { transfer in
      let first = transfer.position
      transfer.tick(frames)
      transfer.time = time
      return first..<transfer.position
    }
    if let playback, !played.isEmpty {
      let begin = time - frames.duration(at: configuration.format.sampleRate)
      card.played(from: played.lowerBound, at: begin, in: playback)
    }
    let isOpen = change { state in
      state.ticked()
      return !state.isClosed
    }
    ticks.signal()
    return isOpen
  }

  /// Records that a step of the card's time is due.
  func expectTick() {
    change { $0.expectTick() }
  }

  /// Resumes the pacing task when the engine waits only for the card.
  func resumeWhenEngineIsIdle(_ pacer: CheckedContinuation<Void, Never>) {
    change { $0.await(pacer) }?.resume()
  }

  /// Returns true if the engine had nothing to play at some time since the last call.
  func consumeRest() -> Bool {
    change { $0.consumeRest() }
  }

  /// Records that the engine's thread blocks: in `wait`, or in a call that the script blocks.
  ///
  /// - Parameters:
  ///   - forCard: whether the engine waits only for the card.
  ///   - rests: whether the engine waits for a command and has nothing to play.
  func arrive(forCard: Bool = true, rests: Bool = false) {
    change { $0.arrived(forCard: forCard, rests: rests) }?.resume()
  }

  /// Records that the engine continues.
  func leave() {
    change { $0.left() }
  }

  @discardableResult
  private func change<Result: Sendable>(
    _ body: (inout EngineIdleState) -> Result
  ) -> Result {
    shared.withLock { shared in
      let result = body(&shared.idleState)
      if shared.idleState.isBusy { hold?.begin() } else { hold?.end() }
      return result
    }
  }

  /// Ends the device; unlike `close`, this call is never blocked by the script.
  func end() {
    let (wasOpen, pacer, waiting) = shared.withLock { shared in
      shared.transfer.close()
      hold?.end()
      return (!shared.idleState.isClosed, shared.pacer, shared.idleState.close())
    }
    pacer?.cancel()
    waiting?.resume()
    waker.signal()
    ticks.signal()
    if wasOpen { card.closed() }
  }

  // MARK: The played samples

  func keep(_ samples: UnsafeBufferPointer<Float>) {
    if let playback { card.keep(samples, in: playback) }
  }

  /// Removes the last frames from the kept samples, because they were not played.
  func retract(_ frames: FrameCount) {
    if let playback, frames > 0 { card.retract(frames, from: playback) }
  }
}

/// Whether the engine's thread waits, and for what.
///
/// In lockstep, the pacing task advances the card's time. It is suspended until the engine waits
/// only for the card; this state stores its continuation.
struct EngineIdleState {
  /// Whether the device is closed.
  private(set) var isClosed = false
  /// Whether the engine's thread is running rather than waiting.
  private var isEngineAwake = false
  /// Whether the engine waits only for the card, not for its source, its consumer, or a command.
  private var waitsForCard = false
  /// Whether a step of the card's time is due.
  private var isDue = false
  private var hasRested = false
  private var waiting: CheckedContinuation<Void, Never>?

  /// Whether the time of a test clock must stop, because the engine runs or a step is due.
  ///
  /// The time advances while the engine waits for its source or consumer, which may wait for the
  /// clock.
  var isBusy: Bool { !isClosed && (isEngineAwake || isDue && waitsForCard) }

  mutating func expectTick() {
    isDue = true
  }

  /// Records that the engine waits; returns the suspended pacing task if it can resume now.
  mutating func arrived(
    forCard: Bool, rests: Bool
  ) -> CheckedContinuation<Void, Never>? {
    (isEngineAwake, waitsForCard) = (false, forCard)
    if rests { hasRested = true }
    return forCard ? popWaiting() : nil
  }

  /// Records that the engine is awake.
  mutating func left() {
    (isEngineAwake, waitsForCard) = (true, false)
  }

  /// Records that a step of the card's time was taken, which wakes the engine.
  mutating func ticked() {
    isDue = false
    left()
  }

  /// Stores the suspended pacing task, or returns it if it can resume now.
  mutating func await(
    _ continuation: CheckedContinuation<Void, Never>
  ) -> CheckedContinuation<Void, Never>? {
    if waitsForCard || isClosed { return continuation }
    waiting = continuation
    return nil
  }

  mutating func consumeRest() -> Bool {
    defer { hasRested = false }
    return hasRested
  }

  /// Records that the device is closed; returns the suspended pacing task, if any, to resume.
  mutating func close() -> CheckedContinuation<Void, Never>? {
    isClosed = true
    return popWaiting()
  }

  private mutating func popWaiting() -> CheckedContinuation<Void, Never>? {
    defer { waiting = nil }
    return waiting
  }
}
