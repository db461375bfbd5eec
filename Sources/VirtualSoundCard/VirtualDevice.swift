import AudioCore
import AudioThreads
import SoundCard
import Synchronization

/// What both directions of an open virtual device share: its state, its waker and its pacer.
final class VirtualDevice: Sendable {
  let configuration: PCMConfiguration
  let waker: WakeUp
  let pace: VirtualPace
  private let faults: [VirtualFault]
  private let plug: VirtualPlug
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
    configuration: PCMConfiguration, pace: VirtualPace, faults: [VirtualFault],
    plug: VirtualPlug, onClose: @escaping @Sendable () -> Void
  ) throws(SoundCardError) {
    self.configuration = configuration
    self.pace = pace
    self.faults = faults
    self.plug = plug
    self.onClose = onClose
    do {
      waker = try WakeUp()
    } catch {
      throw .failed(
        configuration.device, operation: "open", code: error.code, reason: "\(error)")
    }
    shared = Mutex(
      Shared(
        transfer: VirtualTransfer(
          direction: .playback, configuration: configuration, faults: faults)))
  }

  /// Sets the direction and lets the card's time begin.
  func open(_ direction: AudioDevice.Direction) {
    let pacer = VirtualPacer.start(pace, for: self)
    shared.withLock { shared in
      shared.transfer = VirtualTransfer(
        direction: direction, configuration: configuration, faults: faults)
      shared.pacer = pacer
    }
  }

  var isUntimed: Bool {
    if case .untimed = pace { true } else { false }
  }

  var elapsed: Duration {
    with { $0.ticked }.duration(at: configuration.format.sampleRate)
  }

  /// One step of the state under its lock.
  func with<Result: Sendable>(_ body: (inout VirtualTransfer) -> Result) -> Result {
    let (result, unplugging) = shared.withLock { shared in
      let result = body(&shared.transfer)
      return (result, shared.transfer.unplugging.take())
    }
    if let unplugging { plug.pull(unplugging, pace) }
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

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    let deadline = timeout.map { elapsed + $0 }
    if let wakeUp = try withOpen({ $0.poll(interest) }) { return wakeUp }
    if isUntimed && interest == .period {
      return try withOpen { transfer in
        transfer.tick(configuration.period)
        return transfer.poll(interest) ?? .timedOut
      }
    }
    settle(interest, timeout)
    waker.wait()
    shared.withLock { $0.settling.left() }
    if let wakeUp = try withOpen({ $0.poll(interest) }) { return wakeUp }
    if let deadline, elapsed >= deadline { return .timedOut }
    return .woken
  }

  /// Lets one step of the card's time pass and wakes the engine; false where the device is closed.
  func tick(_ frames: FrameCount) -> Bool {
    // Away before anybody can notice.
    with { $0.tick(frames) }
    let isOpen = shared.withLock { shared in
      shared.settling.left()
      return !shared.isClosed
    }
    waker.signal()
    return isOpen
  }

  /// Returns when the engine waits for the card and for nothing else.
  func settled() async {
    await withCheckedContinuation { continuation in
      shared.withLock { $0.settling.await(continuation, isOver: $0.isClosed) }?.resume()
    }
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
    if wasOpen { onClose() }
  }

  /// Whether an engine that waits for nothing waits for what it wrote to be heard.
  ///
  /// One that waits for its source has no time-out that the card's buffer could explain, and a
  /// capture that waits for nothing waits for its consumer.
  private func isDraining(_ timeout: Duration?) -> Bool {
    let longest =
      configuration.buffer.duration(at: configuration.format.sampleRate) + .seconds(1)
    return with { $0.direction } == .playback && timeout.map { $0 <= longest } ?? false
  }

  private func settle(_ interest: PCMInterest, _ timeout: Duration?) {
    guard interest == .period || isDraining(timeout) else { return }
    shared.withLock { $0.settling.arrived() }?.resume()
  }
}
