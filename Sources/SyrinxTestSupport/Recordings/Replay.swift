import AudioThreads
import ClientDependencies
import Synchronization

/// The tasks of a recording, one for each call.
final class Replay: Sendable {
  private let tasks: [[RecordedLine]]
  // Protects the number of the next task and the running tasks.
  private let state = Mutex<(next: Int, running: [ReplayPace])>((0, []))

  init(_ recorded: RecordedTasks) {
    tasks = recorded.tasks
  }

  /// Returns the next task's number, lines, and pace, which starts now.
  func begin() throws(ReplayError) -> (task: Int, lines: [RecordedLine], pace: ReplayPace) {
    @Dependency(\.continuousClock) var clock
    let pace = ReplayPace(clock)
    let task = state.withLock { state in
      defer { state.next += 1 }
      if state.next < tasks.count { state.running.append(pace) }
      return state.next
    }
    guard task < tasks.count else { throw .noMoreTasks(recorded: tasks.count) }
    return (task, tasks[task], pace)
  }

  /// Yields the remaining elements of all tasks at once.
  func hurry() {
    let running = state.withLock { $0.running }
    for pace in running { pace.hurry() }
  }
}

/// Waits on a clock until a line of a recording is due.
final class ReplayPace: Sendable {
  private let sleep: @Sendable (Duration) async throws -> Void
  // Protects the sleeping task, which is canceled after the lock is released.
  private let state = Mutex<(isHurried: Bool, waiting: Task<Void, any Error>?)>((false, nil))

  init(_ clock: any Clock<Duration>) {
    sleep = Stopwatch(clock).sleep
  }

  /// Waits until `due`; returns at once after `hurry` has been called.
  ///
  /// - Throws: `CancellationError` if the caller is canceled.
  func wait(until due: Duration) async throws {
    let waiting = state.withLock { state -> Task<Void, any Error>? in
      guard !state.isHurried else { return nil }
      state.waiting = Task { [sleep] in try await sleep(due) }
      return state.waiting
    }
    await withTaskCancellationHandler {
      _ = await waiting?.result
    } onCancel: {
      waiting?.cancel()
    }
    try Task.checkCancellation()
  }

  func hurry() {
    let waiting = state.withLock { state in
      state.isHurried = true
      return state.waiting.take()
    }
    waiting?.cancel()
  }
}

/// The error of a replay.
public enum ReplayError: Error, Equatable {
  /// The file cannot be read, is not a recording of this kind, or contains values of a newer
  /// version.
  ///
  /// The reason names the file and the line.
  case unreadable(reason: String)
  /// The test started more tasks than the recording contains; make the recording again.
  case noMoreTasks(recorded: Int)
  /// The recording contains this error, which is replayed as its description.
  case recorded(String)
}

extension ReplayError: CustomStringConvertible {
  /// A sentence for users.
  public var description: String {
    switch self {
    case .unreadable(let reason): reason
    case .noMoreTasks(let recorded):
      "the recording has only \(recorded) tasks, and another one was started; record it again"
    case .recorded(let sentence): sentence
    }
  }
}

/// The stream of a task's recorded lines.
final class ReplayedStream<Element: Sendable>: Sendable {
  private let pace: ReplayPace
  private let read: @Sendable (RecordedLine) async throws -> Element?
  // Protects the remaining lines.
  private let rest: Mutex<ArraySlice<RecordedLine>>

  private init(
    _ lines: [RecordedLine], pace: ReplayPace,
    read: @escaping @Sendable (RecordedLine) async throws -> Element?
  ) {
    (self.pace, self.read) = (pace, read)
    rest = Mutex(lines[...])
  }

  /// Yields each element when it is due; a line without an element ends the stream.
  static func replaying(
    _ lines: [RecordedLine], pace: ReplayPace,
    read: @escaping @Sendable (RecordedLine) async throws -> Element?
  ) -> AsyncThrowingStream<Element, any Error> {
    let replayed = ReplayedStream(lines, pace: pace, read: read)
    return AsyncThrowingStream { try await replayed.next() }
  }

  private func next() async throws -> Element? {
    guard let line = rest.withLock({ $0.popFirst() }) else { return nil }
    do {
      try await pace.wait(until: .nanoseconds(line.ns))
    } catch {
      // A canceled consumer gets the end of the stream, as with every stream.
      return nil
    }
    if let failed = line.failed { throw failed.value }
    return try await read(line)
  }
}
