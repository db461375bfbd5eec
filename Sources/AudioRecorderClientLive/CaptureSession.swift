import AudioCore
import AudioRecorderClient
import AudioThreads
import SoundCard
import Synchronization

/// A capture from its opening to its end, which can be stopped at any point of it.
final class CaptureSession: Sendable {
  /// Makes what takes the audio, once the device is open, on a thread of its own.
  typealias Making = @Sendable (_ device: PCMConfiguration) throws -> any CaptureConsumer

  private struct State {
    var isStopping = false
    var opening: Task<SharedCapture, any Error>?
    var stop: (@Sendable () -> Void)?
    var capture: SharedCapture?
  }

  // Held for a few instructions by whoever stops the session and by the session itself.
  private let state = Mutex(State())
  private let gate = Gate()
  private let outcome = Mutex<Result<Void, AudioRecorderError>>(.success(()))
  private let mayBlock: Bool

  /// - Parameter mayBlock: whether its consumer may take its time, as one with a file does.
  init(mayBlock: Bool) {
    self.mayBlock = mayBlock
  }

  /// Whether it was stopped.
  var isStopped: Bool { state.withLock { $0.isStopping } }

  /// Opens the device and lets the consumer take its audio; returns when it does so or could not
  /// begin.
  ///
  /// Stopped before the device is open, the session ends without an error and without a consumer.
  func start(
    _ request: PCMRequest, on soundCard: SoundCard, of hub: CaptureHub,
    clock: any Clock<Duration> = ContinuousClock(), making: @escaping Making
  ) async {
    do {
      guard let capture = try await open(request, on: soundCard, of: hub, clock) else {
        return end(.success(()))
      }
      try begin(making, on: capture)
    } catch {
      end(.failure(error))
    }
  }

  /// Ends the capture; what has been heard by then is still delivered, but for less than a period
  /// where others go on to hear the device.
  func stop() {
    let (opening, stop) = state.withLock { state in
      state.isStopping = true
      return (state.opening, state.stop)
    }
    opening?.cancel()
    stop?()
  }

  /// Has what was heard so far looked at; returns how many blocks that were.
  func nudge() -> Int {
    guard let capture = state.withLock({ $0.capture }) else { return 0 }
    defer { capture.nudge() }
    return capture.blockCount
  }

  /// Ends a session that could not even begin.
  func fail(_ error: any Error) {
    end(.failure(error))
  }

  /// Returns when everything is closed.
  func isOver() async {
    await gate.wait()
  }

  /// Returns when everything is closed; throws what ended the session.
  func ended() async throws(AudioRecorderError) {
    await isOver()
    try outcome.withLock { $0 }.get()
  }

  /// The open device with a lease, nil where the session was stopped before.
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

  /// Makes the consumer on a thread of its own and joins the capture; without a consumer the device
  /// is given back.
  private func begin(_ making: @escaping Making, on capture: SharedCapture) throws {
    do {
      _ = try DedicatedThread.start(name: "syrinx-record") { [self] in
        let consumer: any CaptureConsumer
        do {
          consumer = try making(capture.configuration)
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
    let member = HubMember(consumer, mayBlock: mayBlock) { [self] in end($0) }
    let isStopping = state.withLock { state in
      state.stop = { capture.stop(member) }
      state.capture = capture
      return state.isStopping
    }
    if isStopping { member.stop() }
    capture.join(member)
  }

  private func end(_ result: Result<Void, any Error>) {
    state.withLock { ($0.stop, $0.capture) = (nil, nil) }
    outcome.withLock { $0 = result.mapError(AudioRecorderError.init) }
    gate.open()
  }
}
