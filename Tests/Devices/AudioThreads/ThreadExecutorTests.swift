import AudioThreads
import Foundation
import Testing

private actor Worker {
  nonisolated let executor: ThreadExecutor
  private var sum = 0

  init() throws {
    executor = try ThreadExecutor(name: "syrinx-worker")
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func add(_ number: Int) -> Int {
    sum += number
    return sum
  }

  func threadName() -> String? {
    try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
  }
}

@Suite struct ThreadExecutorTests {
  @Test func `an actor runs on the executor's thread`() async throws {
    let worker = try Worker()
    #expect(await worker.threadName() == "syrinx-worker\n")
  }

  @Test func `jobs from many tasks run one at a time`() async throws {
    let worker = try Worker()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1_000 { group.addTask { _ = await worker.add(1) } }
    }
    #expect(await worker.add(0) == 1_000)
  }

  @Test func `the thread ends when the actor is released`() async throws {
    var worker: Worker? = try Worker()
    _ = await worker?.add(1)
    let thread = try #require(worker?.executor.thread)
    worker = nil
    await thread.join()
  }
}
