import ClientDependenciesTestSupport
import Dispatch
import Foundation
import Testing

struct Watchman: Sendable {
  private let queue = DispatchQueue(label: "levels")

  func checkLevel(_ report: @escaping @Sendable (Bool) -> Void) {
    withEscapedDependencies { dependencies in
      queue.async {
        dependencies.yield {
          report(LevelMeter().isClipping)
        }
      }
    }
  }
}

@Suite struct EscapingTests {
  @Test(.dependencies { $0.microphone.level = { 1 } })
  func `work on a queue uses the escaped dependencies`() async {
    let isClipping = await withCheckedContinuation { checked in
      Watchman().checkLevel { checked.resume(returning: $0) }
    }
    #expect(isClipping)
  }

  @Test(.dependencies { $0.microphone.level = { 1 } })
  func `a detached task uses the escaped dependencies`() async {
    let isClipping = await withEscapedDependencies { dependencies in
      await Task.detached {
        dependencies.yield { LevelMeter().isClipping }
      }.value
    }
    #expect(isClipping)
  }
}
