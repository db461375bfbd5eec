import AudioThreads
import Testing

@Suite struct WakeUpTests {
  @Test func `a signal sent before the wait is not lost`() throws {
    let wakeUp = try WakeUp()
    wakeUp.signal()
    #expect(wakeUp.wait())
  }

  @Test func `several signals wake the sleeper once`() throws {
    let wakeUp = try WakeUp()
    wakeUp.signal()
    wakeUp.signal()
    #expect(wakeUp.wait())
    #expect(!wakeUp.clear())
  }

  @Test func `a wait without a signal ends at its timeout`() throws {
    let wakeUp = try WakeUp()
    #expect(!wakeUp.wait(atMost: .zero))
  }

  @Test func `a signal from another thread wakes the sleeper`() async throws {
    let wakeUp = try WakeUp()
    let sleeper = try DedicatedThread.start(name: "sleeper") { wakeUp.wait() }
    wakeUp.signal()
    await sleeper.join()
  }

  @Test func `isSignaled leaves the signal pending`() throws {
    let wakeUp = try WakeUp()
    #expect(!wakeUp.isSignaled(within: 1))
    wakeUp.signal()
    #expect(wakeUp.isSignaled(within: .max / 2))
    #expect(wakeUp.clear())
  }
}

@Suite(.timeLimit(.minutes(1))) struct TaskWakeUpTests {
  private let wakeUp = TaskWakeUp()

  /// Returns a gate that opens when a task, which waits already, has been woken.
  private func sleeper() -> Gate {
    let woken = Gate()
    Task.immediate { [wakeUp] in
      await wakeUp.wait()
      woken.open()
    }
    return woken
  }

  @Test func `a signal sent before the wait is not lost`() async {
    wakeUp.signal()
    await wakeUp.wait()
  }

  @Test func `several signals wake the task once`() async {
    wakeUp.signal()
    wakeUp.signal()
    await wakeUp.wait()
    let woken = sleeper()
    #expect(!woken.isOpen)
    wakeUp.signal()
    await woken.wait()
  }

  @Test func `a signal during the wait wakes the task and is used up`() async {
    for _ in 0..<2 {
      let woken = sleeper()
      #expect(!woken.isOpen)
      wakeUp.signal()
      await woken.wait()
    }
  }
}
