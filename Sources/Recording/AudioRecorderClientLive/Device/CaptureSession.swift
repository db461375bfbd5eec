import AudioCore
import AudioRecorderClient
import AudioThreads
import SoundCard
import Synchronization

/// One user's capture from its opening to its end; it can be stopped at any point.
final class CaptureSession: Sendable {
  /// Makes the consumer on a new thread when the device is open.
  typealias MakeConsumer = @Sendable (_ device: PCMConfiguration) throws -> any CaptureConsumer

  private struct State {
    var isStopping = false
    var opening: Task<SharedCapture, any Error>?
    var stop: (@Sendable () -> Void)?
    var capture: SharedCapture?
  }

  // Held for a few instructions by the session and its stopping callers.
  private let state = Mutex(State())
  private let gate = Gate()
  private let outcome = Mutex<Result<Void, AudioRecorderError>>(.success(()))
  private let mayBlock: Bool
  private let lockstep: Lockstep?
  /// Holds the time of a virtual card while the session begins, and from its end until the caller has
  /// its result.
  private let hold: TimeHold?

  /// - Parameters:
  ///   - mayBlock: whether the consumer may block, as one that writes a file does.
  ///   - lockstep: the lockstep of a virtual card.
  init(mayBlock: Bool, lockstep: Lockstep? = nil) {
    (self.mayBlock, self.lockstep) = (mayBlock, lockstep)
    hold = TimeHold(lockstep, "a recording or capture that begins or ends")
    hold?.begin()
  }

  /// Lets the time of a virtual card go on: the caller has the result, and may react to it.
  func releaseTime() {
    lockstep?.expectReaction()
    hold?.end()
  }

  /// Whether the session was stopped.
  var isStopped: Bool { state.withLock { $0.isStopping } }

  /// Opens the device and starts the consumer; returns when it runs or could not start.
  ///
  /// A session that is stopped before its device is open ends without an error and a consumer.
  func start(
    _ request: PCMRequest, on soundCard: SoundCard, of hub: CaptureHub,
    clock: any Clock<Duration> = ContinuousClock(), makeConsumer: @escaping MakeConsumer
  ) async {
    do {
      guard let capture = try await open(request, on: soundCard, of: hub, clock) else {
        return end(.success(()))
      }
      try begin(makeConsumer, on: capture)
    } catch {
      end(.failure(error))
    }
  }

  /// Ends the capture; audio captured so far is delivered, except for less than a period if others
  /// continue to use the device.
  func stop() {
    let (opening, stop) = state.withLock { state in
      state.isStopping = true
      return (state.opening, state.stop)
    }
    opening?.cancel()
    stop?()
  }

  /// Makes the consumer take the audio captured so far; returns the number of blocks captured.
  func nudge() -> Int {
    guard let capture = state.withLock({ $0.capture }) else { return 0 }
    defer { capture.nudge() }
    return capture.blockCount
  }

  /// Returns when everything is closed.
  func waitUntilClosed() async {
    await gate.wait()
  }

  /// Returns when everything is closed; throws the error that ended the session.
  func ended() async throws(AudioRecorderError) {
    await waitUntilClosed()
    try outcome.withLock { $0 }.get()
  }

  /// The leased device, nil if the session was stopped before it was open.
  private func open(
    _ request: PCMRequest, on soundCard: SoundCard, of hub: CaptureHub,
    _ clock: any Clock<Duration>
  ) async throws -> SharedCapture? {
    let opening = state.withLock { state in
      if !state.isStopping {
        state.opening = Task { try await hub.acquire(request, on: soundCard, clock: clock) }
      }
      return state.opening
    }
    do {
      return try await opening?.value
    } catch is CancellationError where isStopped {
      return nil
    }
  }

  /// Makes the consumer on a new thread and joins the capture; releases the device on failure.
  private func begin(_ makeConsumer: @escaping MakeConsumer, on capture: SharedCapture) throws {
    do {
      _ = try DedicatedThread.start(name: "syrinx-record") { [self] in
        let consumer: any CaptureConsumer
        do {
          consumer = try makeConsumer(capture.configuration)
        } catch {
          capture.release()
          return end(.failure(error))
        }
        join(capture, consumer)
      }
    } catch {
      capture.release()
      throw error
    }
  }

  private func join(_ capture: SharedCapture, _ consumer: any CaptureConsumer) {
    let member = CaptureMember(consumer, mayBlock: mayBlock) { [self] in end($0) }
    let isStopping = state.withLock { state in
      state.stop = { capture.stop(member) }
      state.capture = capture
      return state.isStopping
    }
    if isStopping { member.stop() }
    capture.join(member) { hold?.end() }
  }

  /// Ends the session; `Recording` also ends one that could not begin.
  func end(_ result: Result<Void, any Error>) {
    hold?.begin()
    state.withLock { ($0.stop, $0.capture) = (nil, nil) }
    outcome.withLock { $0 = result.mapError(AudioRecorderError.init) }
    gate.open()
  }
}
