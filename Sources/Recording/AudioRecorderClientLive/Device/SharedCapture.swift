import AudioCore
import AudioThreads
import ClientDependencies
import SoundCard
import Synchronization

/// One open capture device and the members that take its audio.
final class SharedCapture: Sendable {
  private struct State {
    var users = CaptureUsers()
    var newcomers: [CaptureMember] = []
    var outcome: Result<Void, any Error> = .success(())
    var engine: CaptureEngine
  }

  let configuration: PCMConfiguration
  /// Opens when the device is closed.
  let closed = Gate()
  /// Opens a lost device again; nil if a loss ends the capture.
  private let reopening: CaptureReopening?
  // Held for a few instructions by members that come and go, never while waiting for the device.
  private let state: Mutex<State>

  init(_ engine: CaptureEngine, reopening: CaptureReopening? = nil) {
    self.reopening = reopening
    configuration = engine.configuration
    state = Mutex(State(engine: engine))
  }

  /// The open device; the lost one until the device is back.
  private var engine: CaptureEngine {
    get { state.withLock { $0.engine } }
    set { state.withLock { $0.engine = newValue } }
  }

  /// Keeps the device open for a user who is about to join; false if it is closing.
  func lease() -> Bool { state.withLock { $0.users.lease() } }

  /// Gives up an unused lease.
  func release() {
    switch state.withLock({ $0.users.release() }) {
    case .keepRunning: break
    case .endCapture: engine.nudge()
    case .closeDevice:
      engine.close()
      engine.releaseTime()
      closed.open()
    }
  }

  /// Turns a lease into a membership; the first member runs the capture for all, on this thread.
  ///
  /// - Parameter joined: called when the member takes part.
  func join(_ member: CaptureMember, joined: () -> Void = {}) {
    let joining = state.withLock { state in
      let joining = state.users.join(member.number)
      if joining != .tooLate { state.newcomers.append(member) }
      return joining
    }
    // An earlier stop did not find the member.
    if member.isStopping { stop(member) }
    switch joining {
    // Holds the time until the audio thread does.
    case .first: engine.holdTime()
    case .later: engine.nudge()
    case .tooLate: break
    }
    joined()
    switch joining {
    case .first: run()
    case .later: break
    case .tooLate: member.finish(state.withLock { $0.outcome })
    }
  }

  /// Ends a member, and with the last one the capture.
  ///
  /// The last member gets everything captured by then. Another one misses what the device still
  /// holds, which is less than a period.
  func stop(_ member: CaptureMember) {
    let leaving = state.withLock { $0.users.stop(member.number) }
    // Whoever sees the last member stop must see that the capture stops: `CaptureEngine.pass` relies
    // on that order.
    if leaving == .endCapture { engine.stop() }
    member.stop()
    engine.nudge()
  }

  /// The members that joined since the last call.
  func takeNewcomers() -> [CaptureMember] {
    state.withLock { state in
      defer { state.newcomers = [] }
      return state.newcomers
    }
  }

  /// Removes a member; true if it was the last.
  func leave(_ member: CaptureMember) -> Bool {
    state.withLock { $0.users.leave(member.number) } == .endCapture
  }

  /// Asks the members whether they want to leave, from any thread.
  func nudge() {
    engine.nudge()
  }

  /// The number of blocks captured so far; from any thread.
  var blockCount: Int { engine.blockCount }

  /// The lockstep of a virtual card.
  var lockstep: Lockstep? { reopening?.soundCard.lockstep }

  /// Whether the device has no user.
  var isOver: Bool { state.withLock { $0.users.isAbandoned } }

  private func run() {
    let distributor = CaptureDistributor(self)
    let outcome = capture(distributor)
    state.withLock { state in
      state.users.end()
      state.outcome = outcome
    }
    closed.open()
    distributor.end(outcome)
    engine.releaseTime()
  }

  /// Captures until no member is left, or until the device ends or is lost for good; on the calling
  /// thread.
  private func capture(_ distributor: CaptureDistributor) -> Result<Void, any Error> {
    let line = CaptureTimeline(distributor, format: configuration.format)
    var watch: CaptureWatch?
    defer { watch?.end() }
    while true {
      let outcome = Result { try engine.run(line) }
      engine.close()
      guard case .failure(let error as SoundCardError) = outcome, error.isLoss, let reopening,
        distributor.isAnyMemberWaiting
      else { return outcome }
      do {
        let isStillAway = !line.hasReturned
        let loss = try line.lose(withoutAudio: engine.timeWithoutAudio)
        if let watch, isStillAway {
          watch.lose()
        } else {
          let next = reopening.watch { [weak self] in self?.nudge() }
          watch = next
          distributor.lose(loss, error, next)
          next.start()
        }
        guard let watch, try waitForReturn(distributor, line, watch) else { return outcome }
      } catch {
        return .failure(error)
      }
    }
  }

  /// Waits until the device returns and uses it from then on; returns false if no member waits.
  private func waitForReturn(
    _ distributor: CaptureDistributor, _ line: CaptureTimeline, _ watch: CaptureWatch
  ) throws -> Bool {
    while true {
      let wakeUps = engine.wakeUpCount
      distributor.beginRound()
      guard distributor.endRound() else { return false }
      distributor.expire(watch.takeExpired())
      if let (device, away) = watch.takeDevice() {
        do {
          try line.reopen(after: away, in: device.configuration.format)
          engine = try CaptureEngine(pcm: device, lockstep: lockstep)
        } catch {
          device.close()
          throw error
        }
        return true
      }
      if watch.isOver { return false }
      engine.waitForNudge(since: wakeUps)
    }
  }
}

/// Waits for a lost capture device, on behalf of members by number.
typealias CaptureWatch = DeviceReopener<Int, any CapturePCM>

/// Opens a lost device again, as it was opened first.
struct CaptureReopening: Sendable {
  let request: PCMRequest
  let soundCard: SoundCard
  let clock: any Clock<Duration>
  /// The dependencies of the first opening.
  var dependencies = withEscapedDependencies { $0 }

  /// Begins to wait for the device; `notify` is called, on any thread, when there is something to
  /// take.
  func watch(notify: @escaping @Sendable () -> Void) -> CaptureWatch {
    var request = request
    request.openingLimit = nil
    return CaptureWatch(
      open: { [soundCard, request, dependencies] in
        try await dependencies.yield { try await soundCard.openCapture(request: request) }
      },
      close: { $0.close() }, changes: soundCard.deviceChanges,
      clock: clock, lockstep: soundCard.lockstep, notify: notify)
  }
}

/// The users of an open capture device, which decide when it is closed; without threads or devices.
///
/// Between opening a device and taking its audio a user holds a lease, which keeps the device open.
/// After the capture is closed it takes no users, and the next one opens the device anew.
struct CaptureUsers: Equatable {
  /// The role of a new member.
  enum Joining: Equatable {
    /// It runs the capture.
    case first
    /// The first member delivers the audio to it.
    case later
    /// The capture has ended meanwhile.
    case tooLate
  }

  /// What follows from a user's departure.
  enum Leaving: Equatable {
    /// Others use the device.
    case keepRunning
    /// It was the last user: the capture ends.
    case endCapture
    /// It was the last user, and the capture never ran: the device must be closed.
    case closeDevice
  }

  private(set) var isClosed = false
  private var leases = 0
  private var members: Set<Int> = []
  /// The members that were stopped and have not left.
  private var stopped: Set<Int> = []
  private var isRunning = false

  /// Whether there is neither a member nor a lease.
  var isAbandoned: Bool { members.isEmpty && leases == 0 }

  /// Adds a lease; false if the capture is closed.
  mutating func lease() -> Bool {
    if !isClosed { leases += 1 }
    return !isClosed
  }

  /// Removes an unused lease.
  mutating func release() -> Leaving {
    leases -= 1
    return close()
  }

  /// Turns a lease into a membership.
  mutating func join(_ member: Int) -> Joining {
    leases -= 1
    guard !isClosed else { return .tooLate }
    members.insert(member)
    defer { isRunning = true }
    return isRunning ? .later : .first
  }

  /// Stops a member: the last user ends the capture.
  mutating func stop(_ member: Int) -> Leaving {
    guard members.contains(member) else { return .keepRunning }
    stopped.insert(member)
    guard members == stopped, leases == 0 else { return .keepRunning }
    isClosed = true
    return .endCapture
  }

  /// Removes a member.
  mutating func leave(_ member: Int) -> Leaving {
    members.remove(member)
    stopped.remove(member)
    return close()
  }

  /// Notes that the capture has ended.
  mutating func end() {
    isClosed = true
  }

  private mutating func close() -> Leaving {
    guard isAbandoned else { return .keepRunning }
    isClosed = true
    return isRunning ? .endCapture : .closeDevice
  }
}
