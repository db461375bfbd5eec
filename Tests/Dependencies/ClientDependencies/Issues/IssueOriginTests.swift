import Dispatch
import Foundation
import Testing

@testable import ClientDependencies

@Suite struct IssueOriginTests {
  @Test(arguments: Elsewhere.allCases)
  func `an issue from another thread is recorded in the test at once`(
    place: Elsewhere
  ) async {
    await withKnownIssue {
      let origin = IssueOrigin.current
      await place.run { origin.reportIssue("from \(place)") }
    } matching: {
      $0.comments.first?.rawValue == "from \(place)"
        && $0.sourceLocation?.fileID == "\(testModule)/IssueOriginTests.swift"
    }
  }

  @Test func `perform runs a closure immediately, with the origin's task-locals`() async {
    let seen = Recorder<String>()
    let origin = Mark.$current.withValue("test") { IssueOrigin.current }
    await Elsewhere.thread.run {
      Mark.$current.withValue("thread") {
        seen.append("before \(Mark.current)")
        origin.perform { seen.append("report \(Mark.current)") }
        seen.append("after \(Mark.current)")
      }
    }
    #expect(seen.all == ["before thread", "report test", "after thread"])
  }

  @Test func `in a task of the test, IssueOrigin.perform keeps the caller's task-locals`() {
    let seen = Recorder<String>()
    let origin = Mark.$current.withValue("origin") { IssueOrigin.current }
    Mark.$current.withValue("caller") { origin.perform { seen.append(Mark.current) } }
    #expect(seen.all == ["caller"])
  }

  @Test func `a report inside a detached task does not change the task's task-locals`() async {
    let origin = IssueOrigin.current
    let mark = await Mark.$current.withValue("outer") {
      await Task.detached {
        await Mark.$current.withValue("detached") {
          origin.perform {}
          let before = Mark.current
          await Task.yield()
          return [before, Mark.current]
        }
      }.value
    }
    #expect(mark == ["detached", "detached"])
  }

  @Test @MainActor func `a task of the main actor is still on the main actor after a report`() async
  {
    let suspended = SuspendedTest(in: RunningTest(name: "a test"))
    suspended.perform {}
    MainActor.assertIsolated()
    await Task.yield()
    MainActor.assertIsolated()
  }

  @Test func `reports from several threads all run, one after another`() {
    let origin = IssueOrigin.current
    let seen = Recorder<Int>()
    let running = Counter()
    DispatchQueue.concurrentPerform(iterations: 200) { number in
      // Each report gets a new thread, because `concurrentPerform` also uses the test's own thread.
      let thread = Thread.detached {
        origin.perform {
          #expect(running.increment() == seen.all.count + 1)
          seen.append(number)
        }
      }
      thread.wait()
    }
    #expect(seen.all.sorted() == Array(0..<200))
  }

  @Test
  func `an issue origin retains its test's task-locals until its last copy is released`() {
    let held = Held()
    weak let object = held.object
    var origin: IssueOrigin? = Held.$current.withValue(held.take()) { .current }
    var copy = origin
    #expect(object != nil)
    origin = nil
    #expect(copy != nil && object != nil)
    copy = nil
    #expect(object == nil)
    _ = origin
  }

  @Test func `an issue origin does not retain overrides`() {
    let origin: IssueOrigin
    weak var kept: Reference?
    do {
      let box = Reference()
      kept = box
      origin = withDependencies({ $0[Reference.Key.self] = box }, operation: { .current })
    }
    #expect(kept == nil)
    #expect(origin.test != nil)
  }

  @Test func `an origin still reports after its task was canceled`() async {
    let seen = Recorder<String>()
    let task = Task { () -> IssueOrigin in
      withUnsafeCurrentTask { $0?.cancel() }
      return .current
    }
    let origin = await task.value
    await Elsewhere.thread.run { origin.perform { seen.append("\(Task.isCancelled)") } }
    #expect(seen.all == ["false"])
  }

  @Test func `code outside a test has no issue origin, except in an origin's scope`() async {
    let origin = IssueOrigin.current
    let seen = Recorder<RunningTest?>()
    await Elsewhere.thread.run {
      seen.append(IssueOrigin.current.test)
      origin.withScope { seen.append(IssueOrigin.current.test) }
      seen.append(IssueOrigin().withScope { IssueOrigin.current.test })
    }
    #expect(seen.all == [nil, origin.test, nil])
    #expect(origin.test?.name.contains("code outside a test has no issue origin") == true)
  }

  @Test func `an escaped asynchronous scope keeps its test after a suspension`() async {
    let origin = IssueOrigin.current
    let test = await Task.detached {
      await origin.withScope {
        await Task.yield()
        return IssueOrigin.current.test
      }
    }.value
    #expect(test == origin.test)
  }

  @Test(arguments: Elsewhere.allCases)
  func `an issue in an escaped scope is attributed to the test`(place: Elsewhere) async {
    await withKnownIssue {
      let origin = IssueOrigin.current
      await place.run { origin.withScope { reportIssue("plain") } }
    } matching: {
      $0.comments.first?.rawValue == "plain"
    }
  }
}

private enum Mark {
  @TaskLocal static var current = "none"
}

private final class Reference: Sendable {
  enum Key: TestDependencyKey {
    static var testValue: Reference { Reference() }
  }
}

/// An object that only task-locals retain.
private final class Held {
  @TaskLocal static var current: Reference?
  private(set) var object: Reference? = Reference()

  func take() -> Reference? {
    defer { object = nil }
    return object
  }
}

extension Thread {
  /// Starts a thread, and returns a semaphore that is signaled at its end.
  fileprivate static func detached(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    Thread {
      body()
      done.signal()
    }.start()
    return done
  }
}
