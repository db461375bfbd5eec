import AudioThreads
import Foundation
import Synchronization
import Testing

@Suite struct DedicatedThreadTests {
  @Test func `the body runs on a new thread with the given name`() async throws {
    let name = Mutex("")
    let thread = try DedicatedThread.start(name: "syrinx-test") {
      let comm = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
      name.withLock { $0 = comm ?? "" }
    }
    await thread.join()
    #expect(name.withLock { $0 } == "syrinx-test\n")
  }

  @Test func `join returns at once after the thread has ended`() async throws {
    let thread = try DedicatedThread.start(name: "syrinx-test") {}
    await thread.join()
    await thread.join()
    #expect(thread.hasEnded)
  }
}
