import ClientDependencies
import Foundation
import Testing

@Suite struct FireAndForgetTests {
  @Dependency(\.fireAndForget) private var fireAndForget

  @Test func `in a test, fireAndForget returns only when its work is done`() async {
    let isDone = LockIsolated(false)
    await fireAndForget {
      await Task.megaYield()
      isDone.setValue(true)
    }
    #expect(isDone.value)
  }

  @Test func `in a test, an error thrown by the work is an issue at the caller's line`() async {
    let line = #line + 2
    await withKnownIssue {
      await fireAndForget(priority: .low) { throw Unimplemented("work") }
    } matching: { issue in
      issue.error as? Unimplemented == Unimplemented("work")
        && issue.sourceLocation?.fileID == #fileID && issue.sourceLocation?.line == line
    }
  }

  @Test func `in a test, canceling the caller does not cancel the work`() async {
    let isCancelled = LockIsolated(true)
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await fireAndForget { isCancelled.setValue(Task.isCancelled) }
    }.value
    #expect(!isCancelled.value)
  }

  @Test(arguments: [DependencyContext.live, .test])
  func `fireAndForget gives its task the requested name`(context: DependencyContext) async {
    let (names, named) = AsyncStream<String?>.makeStream()
    await withDependencies {
      $0.context = context
    } operation: {
      await fireAndForget(name: "jingle", priority: .high) { named.yield(Task.name) }
    }
    var iterator = names.makeAsyncIterator()
    #expect(await iterator.next() == "jingle")
  }

  @Test func `the live fireAndForget ignores errors`() async {
    let (ends, end) = AsyncStream<Void>.makeStream()
    await withDependencies {
      $0.context = .live
    } operation: {
      await fireAndForget {
        defer { end.finish() }
        throw Unimplemented("work")
      }
    }
    for await _ in ends {}
  }

  @Test
  func `the live fireAndForget returns before its work ends, and the work sees the overrides`()
    async
  {
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
    // The work waits for this signal, so the work cannot have ended before the call returned.
    open.yield()
    var iterator = dates.makeAsyncIterator()
    #expect(await iterator.next() == Date(timeIntervalSinceReferenceDate: 7))
  }
}
