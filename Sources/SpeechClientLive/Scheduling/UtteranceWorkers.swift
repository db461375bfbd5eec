import AudioThreads
import SpeechEngine
import Synchronization

/// Threads that recognise whole utterances, each with a session of its own, for all tasks of a
/// client that want several at a time.
final class UtteranceWorkers: Sendable {
  /// What a worker has at hand: the session of the task that it worked for last.
  struct Bench {
    var task: Int?
    var session: (any SpeechEngineSession)?
  }

  /// A piece of work.
  struct Work: Sendable {
    let perform: @Sendable (inout Bench) -> Void
    let fail: @Sendable (any Error) -> Void
  }

  // Held to move work in and out, never while it is done.
  private let queue = Mutex(WorkQueue<Work>())

  /// Lets a task take part that wants so many workers, and gives its number.
  func join(workers: Int) -> Int { queue.withLock { $0.join(workers: workers) } }

  /// Ends a task's part.
  func leave(_ task: Int) { queue.withLock { $0.leave(task) } }

  /// Has a piece of work done as soon as a worker is free.
  func add(_ work: Work, at place: WorkQueue<Work>.Place) {
    guard queue.withLock({ $0.add(work, at: place) }) else { return }
    do {
      _ = try DedicatedThread.start(name: "syrinx-decoder") { self.run() }
    } catch {
      for left in queue.withLock({ $0.workerFailed() }) { left.fail(error) }
    }
  }

  private func run() {
    var bench = Bench()
    while let work = queue.withLock({ $0.next() }) { work.perform(&bench) }
  }
}
