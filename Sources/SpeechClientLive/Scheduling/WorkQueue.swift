/// Work for a few workers, in the order of its tasks.
struct WorkQueue<Work> {
  /// The position of a piece of work: by its task, then by its index within the task.
  typealias Place = (task: Int, index: Int)

  private var waiting: [(place: Place, work: Work)] = []
  private var limits: [Int: Int] = [:]
  private var taskCount = 0
  private(set) var workerCount = 0

  /// The first task; nil if there is none.
  var first: Int? { limits.keys.min() }

  /// The maximum number of workers: the most that any task wants.
  var limit: Int { limits.values.max() ?? 1 }

  /// Adds a task that wants this many workers, and returns its number.
  mutating func join(workers: Int) -> Int {
    taskCount += 1
    limits[taskCount] = workers
    return taskCount
  }

  /// Removes a task; its waiting work is still done.
  mutating func leave(_ task: Int) {
    limits[task] = nil
  }

  /// Adds work; returns whether a worker must be started for it.
  mutating func add(_ work: Work, at place: Place) -> Bool {
    let index = waiting.firstIndex { place < $0.place } ?? waiting.endIndex
    waiting.insert((place, work), at: index)
    guard workerCount < limit else { return false }
    workerCount += 1
    return true
  }

  /// The next work of a worker; nil if the worker shall end.
  mutating func next() -> Work? {
    guard workerCount <= limit, !waiting.isEmpty else {
      workerCount -= 1
      return nil
    }
    return waiting.removeFirst().work
  }

  /// Notes that a worker could not be started; returns the work for which no worker is left.
  mutating func workerFailed() -> [Work] {
    workerCount -= 1
    guard workerCount == 0 else { return [] }
    defer { waiting = [] }
    return waiting.map(\.work)
  }
}
