/// Work that waits for one of a few workers: what comes first in the order of its tasks
/// is done first.
struct WorkQueue<Work> {
  /// The place of a piece of work: its task's, then its own within that.
  struct Place: Comparable {
    let task: Int
    let index: Int

    static func < (left: Place, right: Place) -> Bool {
      (left.task, left.index) < (right.task, right.index)
    }
  }

  private var waiting: [(place: Place, work: Work)] = []
  private var limits: [Int: Int] = [:]
  private var taskCount = 0
  private(set) var workerCount = 0

  /// The task that comes before all others; nil where there is none.
  var first: Int? { limits.keys.min() }

  /// How many workers there may be: as many as the task that asks for the most.
  var limit: Int { limits.values.max() ?? 1 }

  /// Lets a task take part that wants so many workers, and gives its number.
  mutating func join(workers: Int) -> Int {
    taskCount += 1
    limits[taskCount] = workers
    return taskCount
  }

  /// Ends a task's part; what it has waiting is still done.
  mutating func leave(_ task: Int) {
    limits[task] = nil
  }

  /// Takes work; true where a worker is to be started for it.
  mutating func add(_ work: Work, at place: Place) -> Bool {
    let index = waiting.firstIndex { place < $0.place } ?? waiting.endIndex
    waiting.insert((place, work), at: index)
    guard workerCount < limit else { return false }
    workerCount += 1
    return true
  }

  /// What a worker does next; nil where it is to end.
  mutating func next() -> Work? {
    guard workerCount <= limit, !waiting.isEmpty else {
      workerCount -= 1
      return nil
    }
    return waiting.removeFirst().work
  }

  /// A worker could not be started; gives what nobody is left to do.
  mutating func workerFailed() -> [Work] {
    workerCount -= 1
    guard workerCount == 0 else { return [] }
    defer { waiting = [] }
    return waiting.map(\.work)
  }
}
