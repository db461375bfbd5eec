import AudioThreads
import ClientDependencies
import Synchronization

/// The tasks of a recording, each given to one call.
final class Replay: Sendable {
  private struct State {
    var next = 0
    var running: [ReplayPace] = []
  }

  private let tasks: [[RecordedLine]]
  // Held to take a task and to look at those that run.
  private let state = Mutex(State())

  init(_ recorded: RecordedTasks) {
    tasks = recorded.tasks
  }

  /// The next task's number, its lines and its pace, from now on.
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

  /// Lets what is left of all tasks come at once.
  func hurry() {
    let running = state.withLock { $0.running }
    for pace in running { pace.hurry() }
  }
}

/// Waits, on a clock, until a line of a recording is due.
final class ReplayPace: Sendable {
  private struct State {
    var isHurried = false
    var waiting: Task<Void, any Error>?
  }

  private let sleep: @Sendable (Duration) async throws -> Void
  // Held to note a task and to take it; the task is cancelled after it is free.
  private let state = Mutex(State())

  init(_ clock: any Clock<Duration>) {
    sleep = Stopwatch(clock).sleep
  }

  /// Returns when that time has come, or at once after `hurry`.
  ///
  /// - Throws: `CancellationError` where the caller is cancelled.
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

/// What goes wrong when a recording is replayed.
public enum ReplayError: Error, Equatable {
  /// The file cannot be read, is no recording of that kind, or has what only a newer version
  /// knows; the reason names the file and the line.
  case unreadable(reason: String)
  /// There was one call more than while it was recorded; record anew.
  case noMoreTasks(recorded: Int)
  /// An error that was recorded, by its sentence.
  case recorded(String)
}

extension ReplayError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .unreadable(let reason): reason
    case .noMoreTasks(let recorded):
      "the recording has \(recorded) tasks, and one more was started; record it anew"
    case .recorded(let sentence): sentence
    }
  }
}

/// The lines of one task as the stream that they were.
final class ReplayedStream<Element: Sendable>: Sendable {
  private let pace: ReplayPace
  private let read: @Sendable (RecordedLine) async throws -> Element?
  // Held to take the next line.
  private let rest: Mutex<ArraySlice<RecordedLine>>

  private init(
    _ lines: [RecordedLine], pace: ReplayPace,
    read: @escaping @Sendable (RecordedLine) async throws -> Element?
  ) {
    (self.pace, self.read) = (pace, read)
    rest = Mutex(lines[...])
  }

  /// Each element when it is due; a line without one ends the stream.
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
      // A consumer that is cancelled sees the end, as with every stream.
      return nil
    }
    if let failed = line.failed { throw failed.value }
    return try await read(line)
  }
}
