import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// What both directions of an open virtual device share: its state, its waker and its pacer.
final class VirtualDevice: Sendable {
  let configuration: PCMConfiguration
  let waker: WakeUp
  let pace: VirtualPace
  /// Signalled at each step of the card's time.
  let ticks: WakeUp
  let plug: VirtualPlug
  private let onClose: @Sendable () -> Void
  // Held for a few instructions by the engine's thread and the pacer, never while either waits.
  private let shared: Mutex<Shared>

  private struct Shared {
    var transfer: VirtualTransfer
    var settling = EngineSettling()
    var pacer: Task<Void, Never>?
    var isClosed = false
  }

  init(
    _ direction: AudioDevice.Direction, configuration: PCMConfiguration, pace: VirtualPace,
    plug: VirtualPlug, onClose: @escaping @Sendable () -> Void
  ) throws(SoundCardError) {
    self.configuration = configuration
    self.pace = pace
    self.plug = plug
    self.onClose = onClose
    let script = plug.script
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

  /// Lets the card's time begin.
  func open() {
    let pacer = VirtualPacer.start(pace, for: self)
    shared.withLock { $0.pacer = pacer }
  }

  var isUntimed: Bool {
    if case .untimed = pace { true } else { false }
  }

  var isOpen: Bool { shared.withLock { !$0.isClosed } }

  var elapsed: Duration {
    with { $0.ticked }.duration(at: configuration.format.sampleRate)
  }

  /// One step of the state under its lock.
  func with<Result: Sendable>(_ body: (inout VirtualTransfer) -> Result) -> Result {
    let (result, happened) = shared.withLock { shared in
      let result = body(&shared.transfer)
      defer { shared.transfer.happened = [] }
      return (result, shared.transfer.happened)
    }
    for entry in happened { plug.note(entry, pace) }
    return result
  }

  /// The same, where it takes a device that is still there.
  func withOpen<Result: Sendable>(
    _ body: (inout VirtualTransfer) -> Result
  ) throws(SoundCardError) -> Result {
    let result = with { $0.isGone ? nil : body(&$0) }
    guard let result else { throw .deviceLost(configuration.device) }
    return result
  }

  /// Lets one step of the card's time pass; false where the device is closed.
  func tick(_ frames: FrameCount) -> Bool {
    // Away before anybody can notice.
    with { $0.tick(frames) }
    let isOpen = shared.withLock { shared in
      shared.settling.left()
      return !shared.isClosed
    }
    ticks.signal()
    return isOpen
  }

  /// Returns when the engine waits for the card and for nothing else.
  func settled() async {
    await withCheckedContinuation { continuation in
      shared.withLock { $0.settling.await(continuation, isOver: $0.isClosed) }?.resume()
    }
  }

  /// The engine waits for the card and for nothing else: in a wait, or in a call that blocks.
  func arrive() {
    shared.withLock { $0.settling.arrived() }?.resume()
  }

  /// The engine goes on.
  func leave() {
    shared.withLock { $0.settling.left() }
  }

  func close() {
    let (wasOpen, pacer, waiting) = shared.withLock { shared in
      defer { shared.isClosed = true }
      shared.transfer.close()
      return (!shared.isClosed, shared.pacer, shared.settling.takeWaiting())
    }
    pacer?.cancel()
    waiting?.resume()
    waker.signal()
    ticks.signal()
    if wasOpen { onClose() }
  }
}

/// The calls of an engine's thread.
extension VirtualDevice {
  /// Begins a call as the script says: it takes its time, or fails.
  func enter(_ call: VirtualFault.Call) throws(SoundCardError) {
    block(in: call)
    if let error = with({ $0.failure(in: call) }) { throw error }
  }

  /// Blocks the calling thread for as long as the script says of this call.
  func block(in call: VirtualFault.Call) {
    guard let block = with({ $0.block(in: call) }) else { return }
    if isUntimed, let time = block.time { return pass(time) }
    let end = block.time.map { elapsed + $0 }
    // What was signalled until now is past.
    ticks.clear()
    let number = plug.blocked.begin(call, ticks)
    while isOpen, !plug.blocked.isReleased, end.map({ elapsed < $0 }) ?? true {
      arrive()
      ticks.wait()
    }
    plug.blocked.end(number)
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
      // A device that is being resumed is waited for, as long as nobody signals.
      if let deadline, elapsed >= deadline, !with({ $0.isAsleep }) { return .timedOut }
      if waitsForCard(interest, timeout) { arrive() }
      let isSignalled = waker.wait(or: ticks)
      leave()
      if isSignalled { return try poll(interest) ?? .woken }
    }
  }

  private func poll(_ interest: PCMInterest) throws(SoundCardError) -> PCMWakeUp? {
    if let error = with({ $0.isGone ? nil : $0.failure(in: .wait) }) { throw error }
    return try withOpen { $0.poll(interest) }
  }

  /// The time that a wait takes on a card without a clock: what nobody else lets pass.
  private func timePassing(_ interest: PCMInterest, _ timeout: Duration?) -> Duration? {
    guard isUntimed, waitsForCard(interest, timeout) else { return nil }
    return interest == .period ? period : timeout
  }

  private func pass(_ time: Duration) {
    let frames = FrameCount(time, at: configuration.format.sampleRate)
    with { $0.pass(max(1, frames)) }
  }

  /// Whether an engine waits for the card; one that waits for nothing may do so too: for what it
  /// wrote to be heard, for more to be captured before it serves the card again, or for a moment
  /// after it was refused.
  ///
  /// One that waits for its source or for its consumer has no time-out that the card's buffer could
  /// explain: a capture that can wait has half of the buffer left, and one without room
  /// waits longer.
  private func waitsForCard(_ interest: PCMInterest, _ timeout: Duration?) -> Bool {
    guard interest == .nothing else { return true }
    guard let timeout else { return false }
    let buffer = configuration.buffer.duration(at: configuration.format.sampleRate)
    return timeout <= (with { $0.direction } == .playback ? buffer + .seconds(1) : buffer / 2)
  }

  private var period: Duration {
    configuration.period.duration(at: configuration.format.sampleRate)
  }
}

/// Whether the engine is asleep in a wait for the card, and who wants to know.
struct EngineSettling {
  private var isAsleep = false
  private var waiting: CheckedContinuation<Void, Never>?

  /// The engine goes to sleep; the pacer that waits for that is to be resumed.
  mutating func arrived() -> CheckedContinuation<Void, Never>? {
    isAsleep = true
    return takeWaiting()
  }

  /// The engine has been woken.
  mutating func left() {
    isAsleep = false
  }

  /// The pacer waits; it is given back at once where there is nothing to wait for.
  mutating func await(
    _ continuation: CheckedContinuation<Void, Never>, isOver: Bool
  ) -> CheckedContinuation<Void, Never>? {
    if isAsleep || isOver { return continuation }
    waiting = continuation
    return nil
  }

  mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
    defer { waiting = nil }
    return waiting
  }
}
