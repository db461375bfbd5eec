import AudioThreads
import Foundation
import TestTools
import Testing

@Suite(.timeLimit(.minutes(5))) struct ThreadPoolTests {
  /// A pool in which no job counts as blocked, however busy the machine is.
  private func patientPool(_ name: String = "syrinx-pool") throws -> ThreadPool {
    try ThreadPool(name: name, joinDelay: .seconds(3_600))
  }

  @Test func `64 tasks share at most two threads, which have the pool's name`() async throws {
    let pool = try patientPool()
    let tasks = (0..<64).map { _ in
      Task(executorPreference: pool) {
        var names: Set<String> = []
        for _ in 0..<20 {
          names.insert(threadName())
          await pool.yield()
        }
        return names
      }
    }
    for task in tasks { #expect(await task.value == ["syrinx-pool\n"]) }
    #expect((1...2).contains(pool.threadCount), "\(pool.threadCount)")
  }

  @Test func `an actor and its waits stay on the pool of the task that calls it`() async throws {
    let (pool, counter, wakeUp) = (try patientPool(), Waiter(), TaskWakeUp())
    let task = Task(executorPreference: pool) { await counter.namesAround { await wakeUp.wait() } }
    wakeUp.signal()
    #expect(await task.value == ["syrinx-pool\n", "syrinx-pool\n"])
  }

  @Test func `blocked jobs do not delay others, and their threads end afterward`() async throws {
    let pool = try ThreadPool(name: "syrinx-pool", joinDelay: .milliseconds(1))
    let release = try (0..<10).map { _ in try WakeUp() }
    for wakeUp in release {
      let begun = Gate()
      pool.perform {
        begun.open()
        wakeUp.wait()
      }
      await begun.wait()
    }
    #expect(await Task(executorPreference: pool) { threadName() }.value == "syrinx-pool\n")
    #expect(pool.threadCount >= 11)
    for wakeUp in release { wakeUp.signal() }
    while pool.threadCount > 2 { await Task.yield() }
    #expect(await Task(executorPreference: pool) { threadName() }.value == "syrinx-pool\n")
  }

  /// If each job waited for a second, the test would take longer than its time limit.
  @Test func `only the first job behind a blocked job waits for another thread`() async throws {
    let pool = try ThreadPool(name: "syrinx-pool", joinDelay: .seconds(1))
    let (begun, release) = (Gate(), try WakeUp())
    pool.perform {
      begun.open()
      release.wait()
    }
    await begun.wait()
    for _ in 0..<1_000 { await Task(executorPreference: pool) {}.value }
    release.signal()
  }

  /// If each blocked job waited for a second, the test would take longer than its time limit.
  @Test func `many blocked jobs wait for threads only a few times`() async throws {
    let pool = try ThreadPool(name: "syrinx-pool", joinDelay: .seconds(1))
    let release = try WakeUp()
    for _ in 0..<400 { pool.perform { _ = release.isSignaled(within: .max) } }
    await Task(executorPreference: pool) {}.value
    #expect(pool.threadCount > 400)
    release.signal()
    while pool.threadCount > 2 { await Task.yield() }
  }

  @Test func `a task that yields lets others run`() async throws {
    let (pool, begun, done) = (try patientPool(), Gate(), Gate())
    let yielding = Task(executorPreference: pool) {
      begun.open()
      while !done.isOpen { await pool.yield() }
    }
    await begun.wait()
    await Task(executorPreference: pool) { done.open() }.value
    await yielding.value
  }

  /// Runs in a separate process, because the busy tasks would stop the other tests.
  @Test func `the tasks of a pool run although others occupy Swift's cooperative pool`() async {
    await #expect(processExitsWith: .success) {
      let pool = try ThreadPool(name: "syrinx-pool", joinDelay: .milliseconds(10))
      let (waiter, isOver) = (Waiter(), try WakeUp())
      let (hasRun, wereAlone) = try await withBusyTasks {
        Task(executorPreference: pool) {
          for _ in 0..<20 {
            _ = await waiter.namesAround {
              let wakeUp = TaskWakeUp()
              pool.perform { wakeUp.signal() }
              await wakeUp.wait()
            }
            await Task.yield()
          }
          isOver.signal()
        }
        return isOver.wait(atMost: .seconds(240))
      }
      #expect(hasRun && wereAlone)
    }
  }

  @Test func `the threads end with the pool`() async throws {
    let name = "syrinx-last"
    var pool: ThreadPool? = try ThreadPool(name: name, joinDelay: .milliseconds(1))
    for _ in 0..<3 {
      let begun = Gate()
      let release = try WakeUp()
      pool?.perform {
        begun.open()
        release.wait()
      }
      await begun.wait()
      release.signal()
    }
    #expect(try ProcessResources.threadNames().contains(name + "\n"))
    pool = nil
    while try ProcessResources.threadNames().contains(name + "\n") { await Task.yield() }
  }

  @Test func `the users of a shared pool have the same pool, and later users another one`()
    async throws
  {
    let shared = SharedThreadPool(name: "syrinx-pool")
    var pool: ThreadPool? = try shared.pool()
    weak let first = pool
    #expect(try shared.pool() === pool)
    pool = nil
    // Its thread may retain the pool until it sleeps.
    while first != nil { await Task.yield() }
    #expect(try shared.pool().threadCount == 1)
  }
}

private func threadName() -> String {
  (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
}

private actor Waiter {
  /// Returns the names of the threads before and after a wait.
  func namesAround(_ wait: @Sendable () async -> Void) async -> [String] {
    let name = threadName()
    await wait()
    return [name, threadName()]
  }
}
