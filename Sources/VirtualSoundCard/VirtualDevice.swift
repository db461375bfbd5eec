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
