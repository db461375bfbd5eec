import AudioThreads
import Foundation
import Synchronization

/// Runs `body` on its own thread while tasks that never suspend occupy Swift's cooperative pool at
/// every priority.
///
/// Nothing else of the process advances meanwhile, so call it in a process of its own. The tasks
/// compute, because Dispatch starts more threads for a pool whose threads all block.
///
/// - Returns: the value of `body`, and whether the pool ran no other task.
package func withBusyTasks<Value: Sendable>(
  _ body: @escaping @Sendable () -> Value
) async throws -> (value: Value, wereAlone: Bool) {
  let priorities = [TaskPriority.high, .medium, .low, .background]
  let taskCount = ProcessInfo.processInfo.activeProcessorCount * priorities.count
  let (begun, others, isOver) = (Counter(), Counter(), Counter())
  for index in 0..<taskCount {
    Task(priority: priorities[index % priorities.count]) {
      begun.add()
      while isOver.value == 0 { sched_yield() }
    }
  }
  return try await DedicatedThread.run(name: "busy-tasks") {
    defer { isOver.add() }
    while begun.value < taskCount { sched_yield() }
    for priority in priorities { Task(priority: priority) { others.add() } }
    let value = body()
    return (value, others.value == 0)
  }
}

private final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  func add() { count.add(1, ordering: .sequentiallyConsistent) }
}
