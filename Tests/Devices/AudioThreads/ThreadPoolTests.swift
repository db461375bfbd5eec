import AudioThreads
import Foundation
import Testing

private actor Worker {
  private let executor: PoolExecutor
  private var sum = 0

  init(_ pool: ThreadPool) throws {
    executor = try PoolExecutor(pool)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func add(_ number: Int) -> Int {
    sum += number
    return sum
  }

  func threadName() -> String? {
    try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
  }

  func block(until wakeUp: WakeUp, _ begun: Gate) {
    begun.open()
    wakeUp.wait()
  }

  func block(for time: Duration) {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {}
  }

  func yield(until gate: Gate, _ begun: Gate) async {
    begun.open()
    while !gate.isOpen { await executor.yield() }
  }

  nonisolated func markSlow() {
    executor.isSlow = true
  }
}

@Suite(.timeLimit(.minutes(5))) struct ThreadPoolTests {
  @Test func `64 actors share at most three threads, which have the pool's name`() async throws {
    let pool = ThreadPool(name: "syrinx-pool", patience: .seconds(3_600))
    #expect(pool.threadCount == 0)
    let workers = try (0..<64).map { _ in try Worker(pool) }
    await withTaskGroup(of: String?.self) { group in
      for worker in workers {
        for _ in 0..<20 { group.addTask { await worker.threadName() } }
      }
      for await name in group { #expect(name == "syrinx-pool\n") }
    }
    #expect((1...3).contains(pool.threadCount), "\(pool.threadCount)")
  }

  @Test func `the jobs of an actor run one at a time`() async throws {
    let worker = try Worker(ThreadPool(name: "syrinx-pool"))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1_000 { group.addTask { _ = await worker.add(1) } }
    }
    #expect(await worker.add(0) == 1_000)
  }

  @Test func `stuck jobs do not delay other actors, and their threads end afterward`() async throws
  {
    let pool = ThreadPool(name: "syrinx-pool", patience: .milliseconds(1))
    let worker = try Worker(pool)
    let release = try (0..<10).map { _ in try WakeUp() }
    await withTaskGroup(of: Void.self) { group in
      for wakeUp in release {
        let begun = Gate()
        group.addTask { try? await Worker(pool).block(until: wakeUp, begun) }
        await begun.wait()
      }
      #expect(await worker.add(1) == 1)
      #expect(pool.threadCount >= 11)
      for wakeUp in release { wakeUp.signal() }
    }
    while pool.threadCount > 3 { await Task.yield() }
    #expect(await worker.add(1) == 2)
  }

  @Test func `the jobs of slow actors do not delay other actors`() async throws {
    // No time makes a job stuck here.
    let pool = ThreadPool(name: "syrinx-pool", patience: .seconds(3_600))
    let worker = try Worker(pool)
    let release = try (0..<10).map { _ in try WakeUp() }
    await withTaskGroup(of: Void.self) { group in
      for wakeUp in release {
        let begun = Gate()
        group.addTask {
          guard let slow = try? Worker(pool) else { return }
          slow.markSlow()
          await slow.block(until: wakeUp, begun)
        }
        await begun.wait()
      }
      #expect(await worker.add(1) == 1)
      for wakeUp in release { wakeUp.signal() }
    }
  }

  @Test func `actors that yield let the others run`() async throws {
    let pool = ThreadPool(name: "syrinx-pool", patience: .seconds(3_600))
    let (worker, done) = (try Worker(pool), Gate())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        let (yielding, begun) = (try Worker(pool), Gate())
        group.addTask { await yielding.yield(until: done, begun) }
        await begun.wait()
      }
      #expect(await worker.add(1) == 1)
      done.open()
      try await group.waitForAll()
    }
  }

  @Test func `the threads end with the last executor`() async throws {
    let pool = ThreadPool(name: "syrinx-pool")
    for _ in 0..<2 {
      var workers = try (0..<8).map { _ in try Worker(pool) }
      for worker in workers { _ = await worker.add(1) }
      #expect(pool.threadCount > 0)
      workers = []
      while pool.threadCount > 0 { await Task.yield() }
    }
  }
}
