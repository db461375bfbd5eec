import AudioThreads
import Foundation
import Synchronization
import Testing

@Suite struct DedicatedThreadTests {
  private enum Fault: Error {
    case first, second
  }

  @Test func `the body runs on a new thread with the given name`() async throws {
    let name = Mutex("")
    let thread = try DedicatedThread.start(name: "syrinx-test") {
      let comm = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
      name.withLock { $0 = comm ?? "" }
    }
    await thread.join()
    #expect(name.withLock { $0 } == "syrinx-test\n")
  }

  @Test func `join returns at once if the thread has ended`() async throws {
    let thread = try DedicatedThread.start(name: "syrinx-test") {}
    await thread.join()
    await thread.join()
    #expect(thread.hasEnded)
  }

  @Test
  func `if its caller is canceled, DedicatedThread.run returns at once without the work's result`()
    async throws
  {
    let mayEnd = DispatchSemaphore(value: 0)
    defer { mayEnd.signal() }
    let caller = Task {
      try await DedicatedThread.run(name: "syrinx-test") { mayEnd.wait() }
    }
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
  }

  @Test func `if its caller is canceled, runToEnd interrupts the work and returns its result`()
    async throws
  {
    let mayEnd = DispatchSemaphore(value: 0)
    let caller = Task {
      try await DedicatedThread.runToEnd(name: "syrinx-test", interrupt: { mayEnd.signal() }) {
        mayEnd.wait()
        return 7
      }
    }
    caller.cancel()
    #expect(try await caller.value == 7)
  }

  @Test func `an error thrown on a dedicated thread reaches the caller`() async {
    await #expect(throws: Fault.first) {
      try await DedicatedThread.run(name: "syrinx-test") { throw Fault.first }
    }
    await #expect(throws: Fault.second) {
      try await DedicatedThread.runToEnd(name: "syrinx-test") { throw Fault.second }
    }
  }
}
