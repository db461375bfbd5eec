import AudioCore
import AudioThreads
import ClientDependencies
import SoundCard
import Synchronization

/// One open capture device and all that take its audio.
final class SharedCapture: Sendable {
  private struct State {
    var door = HubDoor()
    var newcomers: [HubMember] = []
    var outcome: Result<Void, any Error> = .success(())
    var engine: CaptureEngine
  }

  let configuration: PCMConfiguration
  /// Opens when the device is closed.
  let closed = Gate()
  /// How a device that is lost is opened again; nil where it is not.
  private let reopening: CaptureReopening?
  // Held for a few instructions by those who come and go, never while the device is waited for.
  private let state: Mutex<State>

  init(_ engine: CaptureEngine, reopening: CaptureReopening? = nil) {
    self.reopening = reopening
    configuration = engine.configuration
    state = Mutex(State(engine: engine))
  }

  /// The open device; the one that it is lost with until it is back.
  private var engine: CaptureEngine {
    get { state.withLock { $0.engine } }
    set { state.withLock { $0.engine = newValue } }
  }

  /// Keeps the device open for somebody who is about to join; false where it is closing.
  func lease() -> Bool { state.withLock { $0.door.lease() } }

  /// Gives a lease back unused.
  func release() {
    act(state.withLock { $0.door.release() })
  }

  /// Joins with a lease; whoever comes first runs the capture, on the calling thread and for all.
  func join(_ member: HubMember) {
    let joining = state.withLock { state in
      let joining = state.door.join(member.number)
      if joining != .tooLate { state.newcomers.append(member) }
      return joining
    }
    // A stop that came before it joined did not find it.
    if member.isStopping { stop(member) }
    switch joining {
    case .drive: run()
    case .ride: engine.nudge()
    case .tooLate: member.finish(state.withLock { $0.outcome })
    }
  }

  /// Ends a member, and with the last one the capture.
  ///
  /// The last one gets what has been heard by then; to the others what the device still holds, less
  /// than a period, comes too late.
  func stop(_ member: HubMember) {
    member.stop()
    let leaving = state.withLock { $0.door.stop(member.number) }
    if leaving == .endCapture { engine.stop() }
    engine.nudge()
  }

  /// Those who came since the last call.
  func takeNewcomers() -> [HubMember] {
    state.withLock { state in
      defer { state.newcomers = [] }
      return state.newcomers
    }
  }

  /// A member has gone; true where it was the last.
  func leave(_ member: HubMember) -> Bool {
    state.withLock { $0.door.leave(member.number) } == .endCapture
  }

  /// Has the members asked whether they want to leave, from any thread.
  func nudge() {
    engine.nudge()
  }

  /// How many blocks have been heard so far; from any thread.
  var blockCount: Int { engine.blockCount }

  /// Whether nobody uses the device any more.
  var isOver: Bool { state.withLock { $0.door.isAbandoned } }

  private func run() {
    let fan = HubFan(self)
    let outcome = capture(fan)
    state.withLock { state in
      state.door.end()
      state.outcome = outcome
    }
    closed.open()
    fan.end(outcome)
  }

  private func act(_ leaving: HubDoor.Leaving) {
    switch leaving {
    case .goOn: break
    case .endCapture: engine.nudge()
    case .closeDevice:
      engine.close()
      closed.open()
    }
  }
}

extension SharedCapture {
  /// Captures until nobody wants more, or the device ends or is lost for good; on the calling
  /// thread.
  private func capture(_ fan: HubFan) -> Result<Void, any Error> {
    let line = CaptureTimeLine(fan, format: configuration.format)
    var watch: CaptureWatch?
    defer { watch?.end() }
    while true {
      let outcome = Result { try engine.run(line) }
      engine.close()
      guard case .failure(let error as SoundCardError) = outcome, error.isLoss, let reopening,
        fan.isAnyoneWaiting
      else { return outcome }
      do {
        let isStillAway = !line.hasReturned
        let news = try line.lose(unheard: engine.timeUnheard)
        if let watch, isStillAway {
          watch.lose()
        } else {
          let next = reopening.watch { [weak self] in self?.nudge() }
          watch = next
          fan.lose(news, error, next)
          next.start()
        }
        guard let watch, try goOn(fan, line, watch) else { return outcome }
      } catch {
        return .failure(error)
      }
    }
  }

  /// Waits until the device is back, and puts it in its place; false where nobody waits any more.
  private func goOn(
    _ fan: HubFan, _ line: CaptureTimeLine, _ watch: CaptureWatch
  ) throws -> Bool {
    while true {
      fan.beginRound()
      guard fan.endRound() else { return false }
      fan.expire(watch.takeExpired())
      if let (device, away) = watch.takeDevice() {
        do {
          try line.comeBack(after: away, in: device.configuration.format)
          engine = try CaptureEngine(pcm: device)
        } catch {
          device.close()
          throw error
        }
        return true
      }
      if watch.isOver { return false }
      engine.waitForNudge()
    }
  }
}

/// Waits for a capture device that is lost, for the members with these numbers.
typealias CaptureWatch = ReturnWatch<Int, any CapturePCM>

/// How a device that was lost is opened again, as it was opened first.
struct CaptureReopening: Sendable {
  let request: PCMRequest
  let soundCard: SoundCard
  let clock: any Clock<Duration>
  /// Those of whoever opened it first.
  var dependencies = withEscapedDependencies { $0 }

  /// Waits for the device, for those who join.
  func watch(tell: @escaping @Sendable () -> Void) -> CaptureWatch {
    var request = request
    request.openingLimit = nil
    return CaptureWatch(
      .init(
        open: { [soundCard, request, dependencies] in
          try await dependencies.yield { try await soundCard.openCapture(request: request) }
        },
        close: { $0.close() }, changes: soundCard.deviceChanges),
      clock: clock, tell: tell)
  }
}
