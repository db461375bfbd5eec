import AudioCore
import AudioRecorderClient
import AudioThreads
import SoundCard
import Synchronization

/// The threads that the recordings of a recorder share.
struct RecordingThreads: Sendable {
  /// The threads that read captured audio and write it.
  var writing = SharedThreadPool(name: "syrinx-record")
  /// The threads that flush and complete files, which may take long even on a healthy disk.
  var storing = SharedThreadPool(name: "syrinx-store", joinDelay: .milliseconds(50))
}

/// One recording: its commands, its progress, and its result.
final class Recording: Sendable {
  let request: RecordingRequest
  /// Reports an event to the recording's listener.
  let report: @Sendable (RecordingEvent) -> Void
  /// Signaled by `stop`, so that a blocked output does not delay the end.
  let stopSignal: WakeUp?
  private let threads: RecordingThreads
  private let session: CaptureSession
  private let stopping = Atomic<Bool>(false)
  private let nanoseconds = Atomic<Int64>(0)
  // The locks are held for a few instructions by callers and by the thread that writes.
  private let commands = Mutex<[(block: Int, command: RecordingCommand)]>([])
  private let result = Mutex<RecordingFinish?>(nil)
  private let running = Mutex<Task<Void, Never>?>(nil)

  /// Creates a recording; `lockstep` keeps a virtual card's test clock in step with it.
  init(
    _ request: RecordingRequest, on devices: CaptureDevices,
    threads: RecordingThreads, lockstep: Lockstep? = nil,
    report: @escaping @Sendable (RecordingEvent) -> Void
  ) {
    (self.request, self.threads, self.report) = (request, threads, report)
    session = CaptureSession(on: devices, lockstep: lockstep)
    // Only an output to a descriptor can block, while it waits for the descriptor's reader. If the
    // system has no descriptor left for the wake-up, a stop waits for the reader.
    stopSignal = request.isLive ? try? WakeUp() : nil
  }

  // MARK: Callers

  /// The ID for `control`.
  var id: RecordingID? { request.id }

  /// The length recorded so far.
  var recorded: Duration { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }

  /// The result, which describes the closed files; nil before the files are closed.
  var finish: RecordingFinish? { result.withLock { $0 } }

  /// Begins recording.
  func start(on soundCard: SoundCard, clock: any Clock<Duration>) {
    let task = Task { await self.run(on: soundCard, clock: clock) }
    running.withLock { $0 = task }
  }

  /// Ends the recording; audio captured so far is recorded.
  func stop() {
    stopping.store(true, ordering: .releasing)
    stopSignal?.signal()
    session.stop()
  }

  /// Sends a command; `stop` takes effect at once, other commands with the next captured block.
  func apply(_ command: RecordingCommand) {
    if command == .stop { stop() } else { send(command, from: session.nudge()) }
  }

  /// Sends a command that applies from the block with the number `block` on.
  func send(_ command: RecordingCommand, from block: Int = 0) {
    commands.withLock { $0.append((block, command)) }
  }

  /// Returns the result when the file is closed; throws the error that ended the recording.
  ///
  /// A recording that is stopped before its device is open creates no file.
  func ended() async throws -> RecordingFinish {
    await waitUntilClosed()
    try await session.ended()
    guard var finish else {
      return RecordingFinish(reason: .stopped, frameCount: 0, recorded: .zero)
    }
    if finish.reason == .deviceEnded, isStopping { finish.reason = .stopped }
    return finish
  }

  /// The result of a failed recording, for the event `closed`; nil if there is no file.
  var remains: RecordingFinish? {
    var remains = finish
    remains?.reason = .failed
    return remains
  }

  /// Returns when the file is closed.
  func waitUntilClosed() async {
    await running.withLock { $0 }?.value
  }

  /// Lets the time of a virtual card continue after the caller has received the result.
  func releaseTime() { session.releaseTime() }

  // MARK: The thread that writes

  /// Whether a command is waiting.
  var hasCommands: Bool { commands.withLock { !$0.isEmpty } }

  /// Whether the recording was stopped; long work checks this, so that it does not delay the end.
  var isStopping: Bool { stopping.load(ordering: .acquiring) }

  /// Records the length recorded so far.
  func noteRecorded(_ duration: Duration) {
    nanoseconds.store(duration.inNanoseconds, ordering: .relaxed)
  }

  /// Stores the result, which describes the closed files.
  func noteFinished(_ finish: RecordingFinish) {
    result.withLock { $0 = finish }
  }

  /// Removes and returns the commands that apply from this block on, in order.
  func popCommands(at block: Int) -> [RecordingCommand] {
    commands.withLock { commands in
      let count = commands.prefix { $0.block <= block }.count
      defer { commands.removeFirst(count) }
      return commands[..<count].map(\.command)
    }
  }

  private func run(on soundCard: SoundCard, clock: any Clock<Duration>) async {
    do throws(AudioRecorderError) {
      let encoding = try request.checkedEncoding()
      let opening = DeviceOpening(request.deviceRequest, on: soundCard, clock: clock)
      await session.start(opening, on: threads) { [self] device, storing in
        try consumer(encoding, device, storing: storing)
      }
    } catch {
      session.end(.failure(error))
    }
    await session.waitUntilClosed()
  }

  private func consumer(
    _ encoding: SoundFileEncoding, _ device: PCMConfiguration, storing: ThreadPool?
  ) throws -> RecordingConsumer {
    let file = try RecordingConsumer(
      self, encoding: encoding, device: device.format, storing: storing)
    report(
      .started(
        RecordingStart(
          device: device.device, deviceFormat: device.format, fileFormat: file.format,
          settings: device)))
    if file.isWaiting { report(.waiting) }
    return file
  }
}
