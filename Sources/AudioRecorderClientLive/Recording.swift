import AudioCore
import AudioRecorderClient
import SoundCard
import Synchronization

/// One recording into a file.
final class Recording: Sendable {
  private let session = CaptureSession()
  private let nanoseconds = Atomic<Int64>(0)
  private let finish = Mutex<RecordingFinish?>(nil)
  private let running = Mutex<Task<Void, Never>?>(nil)

  /// Begins to record at once.
  init(
    _ request: RecordingRequest, soundCard: SoundCard,
    report: @escaping @Sendable (RecordingEvent) -> Void
  ) {
    let task = Task { await self.run(request, on: soundCard, report) }
    running.withLock { $0 = task }
  }

  /// The length recorded so far.
  var recorded: Duration { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }

  func stop() {
    session.stop()
  }

  /// Returns how it ended when the file is closed; throws what ended it.
  ///
  /// Stopped before its device was open, it has recorded nothing and made no file.
  func ended() async throws -> RecordingFinish {
    await isOver()
    try await session.ended()
    return finish.withLock { $0 }
      ?? RecordingFinish(reason: .stopped, frameCount: 0, recorded: .zero)
  }

  /// Returns when the file is closed.
  func isOver() async {
    await running.withLock { $0 }?.value
  }

  private func run(
    _ request: RecordingRequest, on soundCard: SoundCard,
    _ report: @escaping @Sendable (RecordingEvent) -> Void
  ) async {
    do throws(AudioRecorderError) {
      let plan = try RecordingPlan(request)
      await session.start(plan.deviceRequest, on: soundCard) { [self] engine in
        try record(plan, engine, report)
      }
    } catch {
      session.fail(error)
    }
    await session.isOver()
  }

  private func record(
    _ plan: RecordingPlan, _ engine: CaptureEngine,
    _ report: @escaping @Sendable (RecordingEvent) -> Void
  ) throws {
    let device = engine.configuration
    let file = try RecordingToFile(
      plan, device: device.format,
      progress: { [self] in nanoseconds.store($0.inNanoseconds, ordering: .relaxed) },
      report: report)
    report(
      .started(
        RecordingStart(
          device: device.device, deviceFormat: device.format, fileFormat: file.format,
          settings: device)))
    try engine.run(file)
    let reason: RecordingFinish.Reason =
      file.isComplete ? .lengthReached : session.isStopped ? .stopped : .deviceEnded
    finish.withLock {
      $0 = RecordingFinish(
        reason: reason, frameCount: file.framesWritten,
        recorded: file.framesWritten.duration(at: file.format.sampleRate))
    }
  }
}
