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
  // Held to note what a task waits for and to take it, never while it is called.
  private let whenFirst = Mutex<[Int: @Sendable () -> Void]>([:])
  // Held to note whose work waits for that of the others, and to let their pulses beat.
  private let pulses = Mutex<[Int: Pulse]>([:])

  /// Lets a task take part that wants so many workers, and gives its number.
  ///
  /// - Parameters:
  ///   - pulse: beats whenever any worker has moved, for whichever task: a task may wait for those
  ///     before it, and for a worker that is at the work of a later one.
  ///   - whenFirst: called once, when no task is left that joined before.
  func join(
    workers: Int, pulse: Pulse = Pulse(), whenFirst: @escaping @Sendable () -> Void
  ) -> Int {
    let task = queue.withLock { $0.join(workers: workers) }
    pulses.withLock { $0[task] = pulse }
    self.whenFirst.withLock { $0[task] = whenFirst }
    tellFirst()
    return task
  }

  /// Ends a task's part.
  func leave(_ task: Int) {
    queue.withLock { $0.leave(task) }
    whenFirst.withLock { _ = $0.removeValue(forKey: task) }
    pulses.withLock { _ = $0.removeValue(forKey: task) }
    tellFirst()
  }

  /// A worker has moved: every task may be waiting for it.
  func beat() {
    pulses.withLock { for pulse in $0.values { pulse.beat() } }
  }

  private func tellFirst() {
    guard let first = queue.withLock({ $0.first }) else { return }
    whenFirst.withLock { $0.removeValue(forKey: first) }?()
  }

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
