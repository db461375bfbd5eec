import ClientDependencies
import Testing

/// Each test runs in a separate process, because the executor affects all tasks of a process.
@Suite struct MainSerialExecutorTests {
  @Test func `a group's tasks run in the order of their addition`() async {
    await #expect(processExitsWith: .success) {
      await withMainSerialExecutor {
        precondition(uncheckedUseMainSerialExecutor)
        let numbers = LockIsolated<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<1_000 { group.addTask { numbers.withValue { $0.append(number) } } }
        }
        precondition(numbers.value == Array(0..<1_000))
      }
      precondition(!uncheckedUseMainSerialExecutor)
    }
  }

  @Test func `unstructured tasks run in the order of their creation`() async {
    await #expect(processExitsWith: .success) {
      await withMainSerialExecutor {
        let numbers = LockIsolated<[Int]>([])
        let tasks = (0..<1_000).map { number in
          Task { numbers.withValue { $0.append(number) } }
        }
        for task in tasks { await task.value }
        precondition(numbers.value == Array(0..<1_000))
      }
    }
  }

  @Test func `a synchronous operation restores the earlier executor`() async {
    await #expect(processExitsWith: .success) {
      withMainSerialExecutor { precondition(uncheckedUseMainSerialExecutor) }
      precondition(!uncheckedUseMainSerialExecutor)
      uncheckedUseMainSerialExecutor = true
      withMainSerialExecutor {}
      precondition(uncheckedUseMainSerialExecutor)
    }
  }
}
