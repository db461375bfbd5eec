import AudioCore
import AudioRecorderClient
import AudioThreads
import SoundCard
import Synchronization

/// One recording.
final class Recording: Sendable {
  /// The sound card, its open devices, and the clock of a recording.
  struct Source: Sendable {
    let soundCard: SoundCard
    let devices: CaptureDevices
    let clock: any Clock<Duration>
  }

  /// The name for `control`.
  let id: RecordingID?
  private let control: RecordingControl
  private let session: CaptureSession
  private let nanoseconds = Atomic<Int64>(0)
  private let finish = Mutex<RecordingFinish?>(nil)
  private let running = Mutex<Task<Void, Never>?>(nil)

  /// Begins to record at once.
  init(
    _ request: RecordingRequest, from source: Source,
    report: @escaping @Sendable (RecordingEvent) -> Void
  ) {
    id = request.id
    session = CaptureSession(on: source.devices, lockstep: source.soundCard.lockstep)
    // Only a descriptor's reader may block. If no wake-up can be created, a stop waits for the
    // reader.
    let stopSignal: WakeUp? =
      if case .descriptor = request.destination { try? WakeUp() } else { nil }
    control = RecordingControl(stopSignal: stopSignal)
    let task = Task { await self.run(request, source, report) }
    running.withLock { $0 = task }
  }

  /// The length recorded so far.
  var recorded: Duration { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }

  func stop() {
    control.stop()
    session.stop()
  }

  /// Sends a command; `stop` takes effect at once, other commands with the next captured block.
  func apply(_ command: RecordingCommand) {
    if command == .stop { stop() } else { control.send(command, from: session.nudge()) }
  }

  /// Returns the result when the file is closed; throws the error that ended the recording.
  ///
  /// A recording that is stopped before its device is open creates no file.
  func ended() async throws -> RecordingFinish {
    await waitUntilClosed()
    try await session.ended()
    guard var finish = finish.withLock({ $0 }) else {
      return RecordingFinish(reason: .stopped, frameCount: 0, recorded: .zero)
    }
    if finish.reason == .deviceEnded, session.isStopped { finish.reason = .stopped }
    return finish
  }

  /// Releases the time of a virtual card after the caller has received the result.
  func releaseTime() { session.releaseTime() }

  /// The contents of the files after an error ended the recording; nil if there is no file.
  var remains: RecordingFinish? {
    var remains = finish.withLock { $0 }
    remains?.reason = .failed
    return remains
  }

  /// Returns when the file is closed.
  func waitUntilClosed() async {
    await running.withLock { $0 }?.value
  }

  private func run(
    _ request: RecordingRequest, _ source: Source,
    _ report: @escaping @Sendable (RecordingEvent) -> Void
  ) async {
    do throws(AudioRecorderError) {
      let plan = try RecordingPlan(request)
      let opening = DeviceOpening(plan.deviceRequest, on: source.soundCard, clock: source.clock)
      await session.start(opening) { [self] in try consumer(plan, $0, report) }
    } catch {
      session.end(.failure(error))
    }
    await session.waitUntilClosed()
  }

  private func consumer(
    _ plan: RecordingPlan, _ device: PCMConfiguration,
    _ report: @escaping @Sendable (RecordingEvent) -> Void
  ) throws -> RecordingConsumer {
    let file = try RecordingConsumer(
      plan, device: device.format, control: control,
      reports: .init(
        progress: { [self] in nanoseconds.store($0.inNanoseconds, ordering: .relaxed) },
        event: report,
        finished: { [self] finished in finish.withLock { $0 = finished } }))
    report(
      .started(
        RecordingStart(
          device: device.device, deviceFormat: device.format, fileFormat: file.format,
          settings: device)))
    if file.isWaiting { report(.waiting) }
    return file
  }
}

/// The commands that a recording has not applied yet.
final class RecordingControl: Sendable {
  private struct State {
    var commands: [(block: Int, command: RecordingCommand)] = []
    var isStopping = false
  }

  /// Signaled by `stop`, so that a blocked output does not delay the end.
  let stopSignal: WakeUp?

  // The lock is held for a few instructions by senders and by the recording's thread.
  private let state = Mutex(State())

  init(stopSignal: WakeUp? = nil) {
    self.stopSignal = stopSignal
  }

  /// Whether no command waits.
  var isEmpty: Bool { state.withLock(\.commands.isEmpty) }

  /// Whether the recording was stopped, checked by work that would delay the end.
  var isStopping: Bool { state.withLock(\.isStopping) }

  /// Records the stop; stopping the capture ends the recording.
  func stop() {
    state.withLock { $0.isStopping = true }
    stopSignal?.signal()
  }

  /// - Parameter block: the number of the first block that the command applies to.
  func send(_ command: RecordingCommand, from block: Int = 0) {
    state.withLock { $0.commands.append((block, command)) }
  }

  /// Removes and returns the commands that apply from this block on, in order.
  func popAll(at block: Int) -> [RecordingCommand] {
    state.withLock { state in
      let count = state.commands.prefix { $0.block <= block }.count
      defer { state.commands.removeFirst(count) }
      return state.commands[..<count].map(\.command)
    }
  }
}
