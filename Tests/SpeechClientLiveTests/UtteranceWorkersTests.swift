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
}

private final class Told: Sendable {
  // Held to note a name.
  private let state = Mutex<[String]>([])

  var names: [String] { state.withLock { $0 } }

  func note(_ name: String) { state.withLock { $0.append(name) } }
}
