import ClientDependencies
import Foundation
import Testing

@Suite struct FireAndForgetTests {
  @Dependency(\.fireAndForget) private var fireAndForget

  @Test func `in a test the call returns when the work is done`() async {
    let isDone = LockIsolated(false)
    await fireAndForget {
      await Task.megaYield()
      isDone.setValue(true)
    }
    #expect(isDone.value)
  }

  @Test func `an error of the work is ignored`() async {
    await fireAndForget(priority: .low) { throw Unimplemented("work") }
  }

  @Test func `at work the call returns before the work is done, which sees the overrides`() async {
    let (gate, open) = AsyncStream<Void>.makeStream()
    let (dates, told) = AsyncStream<Date>.makeStream()
    await withDependencies {
      $0.context = .live
      $0.date.now = Date(timeIntervalSinceReferenceDate: 7)
    } operation: {
      await fireAndForget {
        for await _ in gate { break }
        @Dependency(\.date.now) var now
        told.yield(now)
      }
    }
    // The work could not have ended: its gate opens only here.
    open.yield()
    var iterator = dates.makeAsyncIterator()
    #expect(await iterator.next() == Date(timeIntervalSinceReferenceDate: 7))
  }
}
