import AudioCore
import AudioRecorderClient
import AudioThreads
import SoundCard
import Synchronization

/// A capture from its opening to its end, which can be stopped at any point of it.
final class CaptureSession: Sendable {
  /// What a session does once its device is open, on a thread of its own.
  typealias Work = @Sendable (_ engine: CaptureEngine) throws -> Void

  private struct State {
    var isStopping = false
    var opening: Task<any CapturePCM, any Error>?
    var engine: CaptureEngine?
  }

  // Held for a few instructions by whoever stops the session and by the session itself.
  private let state = Mutex(State())
  private let gate = Gate()
  private let outcome = Mutex<Result<Void, AudioRecorderError>>(.success(()))

  /// Whether it was stopped.
  var isStopped: Bool { state.withLock { $0.isStopping } }

  /// Opens the device and does the work; returns when the work runs or could not begin.
  ///
  /// Stopped before the device is open, the session ends without an error and without the work.
  func start(_ request: PCMRequest, on soundCard: SoundCard, work: @escaping Work) async {
    do {
      guard let pcm = try await open(request, on: soundCard) else { return end(.success(())) }
      try begin(work, with: try engine(for: pcm))
    } catch {
      end(.failure(error))
    }
  }

  /// Ends the capture; what has been heard by then is still delivered.
  func stop() {
    let (opening, engine) = state.withLock { state in
      state.isStopping = true
      return (state.opening, state.engine)
    }
    opening?.cancel()
    engine?.stop()
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

  /// The open device, nil where the session was stopped before.
  private func open(
    _ request: PCMRequest, on soundCard: SoundCard
  ) async throws -> (any CapturePCM)? {
    let opening = state.withLock { state in
      if !state.isStopping {
        state.opening = Task { try await soundCard.openCapture(request: request) }
      }
      return state.opening
    }
    do {
      return try await opening?.value
    } catch is CancellationError where isStopped {
      return nil
    } catch {
      throw AudioRecorderError.device(request.device, reason: "\(error)")
    }
  }

  /// Does the work on a thread of its own; however it ends, the device is closed.
  private func begin(_ work: @escaping Work, with engine: CaptureEngine) throws(ThreadError) {
    do {
      _ = try DedicatedThread.start(name: "syrinx-record") { [self] in
        let outcome = Result { try work(engine) }
        engine.close()
        end(outcome)
      }
    } catch {
      engine.close()
      throw error
    }
  }

  private func engine(for pcm: any CapturePCM) throws -> CaptureEngine {
    do {
      let engine = try CaptureEngine(pcm: pcm)
      let isStopping = state.withLock { state in
        state.engine = engine
        return state.isStopping
      }
      if isStopping { engine.stop() }
      return engine
    } catch {
      pcm.close()
      throw error
    }
  }

  private func end(_ result: Result<Void, any Error>) {
    outcome.withLock { $0 = result.mapError(AudioRecorderError.init) }
    gate.open()
  }
}
