import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// The part of an open virtual device that both directions share: state, waker, and pacer.
final class VirtualDevice: Sendable {
  let configuration: PCMConfiguration
  let waker: WakeUp
  let pace: VirtualPace
  /// Signaled at each step of the card's time.
  let ticks: WakeUp
  let card: VirtualCardState
  private let onClose: @Sendable () -> Void
  /// Holds the time of a test clock while the engine is busy or a step is due.
  private let hold: TimeHold?
  // The lock is held for a few instructions by the audio thread and the pacer, never while either
  // waits. The card's lock is taken while it is held, never the other way around.
  private let shared: Mutex<Shared>

  private struct Shared {
    var transfer: VirtualTransfer
    var idleState = EngineIdleState()
    var pacer: Task<Void, Never>?
    var isClosed = false
  }

  init(
    _ direction: AudioDevice.Direction, configuration: PCMConfiguration, pace: VirtualPace,
    card: VirtualCardState, onClose: @escaping @Sendable () -> Void
  ) throws(SoundCardError) {
    self.configuration = configuration
    self.pace = pace
    self.card = card
    self.onClose = onClose
    hold = TimeHold(card.lockstep, "the \(direction) engine")
    let script = card.script
    do {
      waker = try WakeUp()
      ticks = try WakeUp()
    } catch {
      throw .failed(
        configuration.device, operation: "open", code: error.code, reason: "\(error)")
    }
    shared = Mutex(
      Shared(
        transfer: VirtualTransfer(
          direction: direction, configuration: configuration, script: script)))
  }

  /// Starts the card's time.
  func open() {
    let pacer = pace.start(for: self)
    shared.withLock { $0.pacer = pacer }
  }

  var isUntimed: Bool {
    if case .untimed = pace { true } else { false }
  }

  var direction: AudioDevice.Direction { with { $0.direction } }

  var isOpen: Bool { shared.withLock { !$0.isClosed } }

  var elapsed: Duration {
    with { $0.ticked }.duration(at: configuration.format.sampleRate)
  }

  /// Changes the state under its lock.
  func with<Result: Sendable>(_ body: (inout VirtualTransfer) -> Result) -> Result {
    let (result, happened) = shared.withLock { shared in
      let result = body(&shared.transfer)
      defer { shared.transfer.happened = [] }
      // Recorded under the lock, because a thread that finds the device lost may reopen it at once,
      // which must fail.
      for entry in shared.transfer.happened { card.record(entry) }
      return (result, shared.transfer.happened)
    }
    for entry in happened { card.report(entry, pace) }
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

  /// Advances the card's time; returns false if the device is closed.
  func tick(_ frames: FrameCount) -> Bool {
    // Changes the state before waiters are woken.
    with { $0.tick(frames) }
    let isOpen = change { state, isClosed in
      state.ticked()
      return !isClosed
    }
    ticks.signal()
    return isOpen
  }

  /// Records that a step of the card's time is due.
  func expectTick() {
    change { state, _ in state.expectTick() }
  }

  /// Returns when the engine waits only for the card; true if it has rested until then.
  func waitForIdleEngine() async -> Bool {
    await withCheckedContinuation { continuation in
      change { $0.await(continuation, isOver: $1) }?.resume()
    }
    return change { state, _ in state.consumeRest() }
  }

  /// Records that the engine waits: in a wait, or in a blocked call.
  ///
  /// - Parameters:
  ///   - forCard: whether the engine waits only for the card.
  ///   - rests: whether the engine waits for a command and has nothing to play.
  func arrive(forCard: Bool = true, rests: Bool = false) {
    change { state, _ in state.arrived(forCard: forCard, rests: rests) }?.resume()
  }

  /// Records that the engine continues.
  func leave() {
    change { state, _ in state.left() }
  }

  @discardableResult
  private func change<Result: Sendable>(
    _ body: (inout EngineIdleState, _ isClosed: Bool) -> Result
  ) -> Result {
    shared.withLock { shared in
      let result = body(&shared.idleState, shared.isClosed)
      if shared.idleState.isBusy, !shared.isClosed { hold?.begin() } else { hold?.end() }
      return result
    }
  }

  func close() {
    let (wasOpen, pacer, waiting) = shared.withLock { shared in
      defer { shared.isClosed = true }
      shared.transfer.close()
      hold?.end()
      return (!shared.isClosed, shared.pacer, shared.idleState.popWaiting())
    }
    pacer?.cancel()
    waiting?.resume()
    waker.signal()
    ticks.signal()
    if wasOpen { onClose() }
  }
}

/// The calls of the audio thread.
extension VirtualDevice {
  /// Blocks or fails a call as scripted.
  func enter(_ call: VirtualFault.Call) throws(SoundCardError) {
    block(in: call)
    if let error = with({ $0.failure(in: call) }) { throw error }
  }

  /// Blocks the calling thread as scripted for this call.
  func block(in call: VirtualFault.Call) {
    guard let block = with({ $0.block(in: call) }) else { return }
    if isUntimed, let time = block.time { return pass(time) }
    let end = block.time.map { elapsed + $0 }
    // Clears earlier signals.
    ticks.clear()
    let number = card.blocked.begin(call, ticks)
    while isOpen, !card.blocked.isReleased, end.map({ elapsed < $0 }) ?? true {
      arrive()
      ticks.wait()
    }
    card.blocked.end(number)
    leave()
  }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    block(in: .wait)
    if let time = timePassing(interest, timeout) {
      if let wakeUp = try poll(interest) { return wakeUp }
      repeat { pass(time) } while with { $0.isAsleep }
      return try poll(interest) ?? .timedOut
    }
    let deadline = timeout.map { elapsed + $0 }
    while true {
      if let wakeUp = try poll(interest) { return wakeUp }
      // While the device resumes, the timeout does not apply; only the waker ends the wait.
      if let deadline, elapsed >= deadline, !with({ $0.isAsleep }) { return .timedOut }
      arrive(
        forCard: waitsForCard(interest, timeout), rests: interest == .nothing && timeout == nil)
      let isSignaled = waker.wait(or: ticks)
      leave()
      if isSignaled { return try poll(interest) ?? .woken }
    }
  }

  private func poll(_ interest: PCMInterest) throws(SoundCardError) -> PCMWakeUp? {
    if let error = with({ $0.isGone ? nil : $0.failure(in: .wait) }) { throw error }
    return try withOpen { $0.poll(interest) }
  }

  /// The duration of a wait on an untimed card, whose time advances only by transfers and waits.
  private func timePassing(_ interest: PCMInterest, _ timeout: Duration?) -> Duration? {
    guard isUntimed, waitsForCard(interest, timeout) else { return nil }
    return interest == .period ? period : timeout
  }

  private func pass(_ time: Duration) {
    let frames = FrameCount(time, at: configuration.format.sampleRate)
    with { $0.pass(max(1, frames)) }
  }

  /// Whether an engine waits for the card.
  ///
  /// An engine that waits without interest may still wait for the card: until its audio is played,
  /// until more is captured, or for a moment after a refused transfer. The timeout distinguishes it
  /// from an engine that waits for its source or consumer: a capture that can wait has half of the
  /// buffer left, and a capture without room waits longer.
  private func waitsForCard(_ interest: PCMInterest, _ timeout: Duration?) -> Bool {
    guard interest == .nothing else { return true }
    guard let timeout else { return false }
    let buffer = configuration.buffer.duration(at: configuration.format.sampleRate)
    return timeout <= (direction == .playback ? buffer + .seconds(1) : buffer / 2)
  }

  private var period: Duration {
    configuration.period.duration(at: configuration.format.sampleRate)
  }
}

/// Whether the engine waits for the card, and the pacer that waits for the engine.
struct EngineIdleState {
  private enum Engine {
    /// The engine has not begun, or waits for its source, its consumer, or a command.
    case away
    case busy
    case waitsForCard
  }

  private var engine = Engine.away
  /// Whether a step of the card's time is due.
  private var isDue = false
  private var hasRested = false
  private var waiting: CheckedContinuation<Void, Never>?

  /// Whether the time must wait: for the engine, or for a step that is due.
  ///
  /// An engine that waits for something else may need the time to move.
  var isBusy: Bool { engine == .busy || isDue && engine == .waitsForCard }

  mutating func expectTick() {
    isDue = true
  }

  /// Records that the engine waits; returns the pacer to resume.
  mutating func arrived(
    forCard: Bool, rests: Bool
  ) -> CheckedContinuation<Void, Never>? {
    engine = forCard ? .waitsForCard : .away
    if rests { hasRested = true }
    return forCard ? popWaiting() : nil
  }

  /// Records that the engine is awake.
  mutating func left() {
    engine = .busy
  }

  /// Records that a step was taken, which wakes the engine.
  mutating func ticked() {
    (isDue, engine) = (false, .busy)
  }

  /// Stores the waiting pacer, or returns it if there is nothing to wait for.
  mutating func await(
    _ continuation: CheckedContinuation<Void, Never>, isOver: Bool
  ) -> CheckedContinuation<Void, Never>? {
    if engine == .waitsForCard || isOver { return continuation }
    waiting = continuation
    return nil
  }

  mutating func consumeRest() -> Bool {
    defer { hasRested = false }
    return hasRested
  }

  mutating func popWaiting() -> CheckedContinuation<Void, Never>? {
    defer { waiting = nil }
    return waiting
  }
}
