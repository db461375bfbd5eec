import SpeechEngine
import Synchronization
import Testing

@testable import SpeechClientLive

@Suite struct UtteranceWorkersTests {
  private let workers = UtteranceWorkers()
  private let told = Told()

  private func join(_ name: String) -> Int {
    workers.join(workers: 2) { [told] in told.note(name) }
  }

  @Test func `each task is told once that it comes first, when those before it have left`() {
    let (a, b, c) = (join("a"), join("b"), join("c"))
    #expect(told.names == ["a"])
    workers.leave(b)
    #expect(told.names == ["a"])
    workers.leave(a)
    #expect(told.names == ["a", "c"])
    workers.leave(c)
    _ = join("d")
    #expect(told.names == ["a", "c", "d"])
  }

  @Test func `a task that waits for the workers moves as long as they do`() throws {
    let waiting = Pulse()
    let number = workers.join(workers: 2, pulse: waiting) {}
    let plan = UtterancePlan(
      engine: SharedEngine().engine, options: SpeechSessionOptions(), jobCount: 2,
      workers: workers, pulse: Pulse(), interruption: Interruption(), isWanted: { true },
      whenFirst: {})
    _ = try plan.words(of: [[0], [0]], knowing: 0, index: 0).words.wait()
    #expect(waiting.beats == 3)
    workers.leave(number)
    _ = try plan.words(of: [[0], [0]], knowing: 0, index: 1).words.wait()
    #expect(waiting.beats == 3)
  }
}

private final class Told: Sendable {
  // Held to note a name.
  private let state = Mutex<[String]>([])

  var names: [String] { state.withLock { $0 } }

  func note(_ name: String) { state.withLock { $0.append(name) } }
}
