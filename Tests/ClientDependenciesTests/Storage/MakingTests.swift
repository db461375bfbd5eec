import Dispatch
import Testing

@testable import ClientDependencies

@Suite struct MakingTests {
  @Test func `tasks that read a value at the same time make it once`() async {
    for _ in 0..<200 {
      let makings = Counter()
      await withDependencies {
        $0 = DependencyValues()
        $0[MakingsKey.self] = makings
      } operation: {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<16 {
            group.addTask { _ = DependencyValues._current[CountedKey.self] }
          }
        }
      }
      #expect(makings.count == 1)
    }
  }

  @MainActor
  @Test func `the main actor does not wait for a value whose making waits for the main thread`()
    async
  {
    #expect(!Making.canWait)
    let begun = DispatchSemaphore(value: 0)
    let cache = ValueCache(separatesTests: false)
    let meeting = MakingMeeting {
      begun.signal()
      DispatchQueue.main.sync {}
    }
    let first = AsyncStream.makeStream(of: Int.self)
    DispatchQueue(label: "first").async {
      first.continuation.yield(read(from: cache, with: meeting))
      first.continuation.finish()
    }
    wait(for: begun)
    // The first making ends only when this thread is free; the one that ends first is kept.
    #expect(read(from: cache, with: meeting) == 2)
    #expect(await first.stream.reduce(0, +) == 2)
  }

  @Test func `a task waits for no making that waits for the task`() async {
    #expect(Making.canWait)
    let end = DispatchSemaphore(value: 0)
    let (cache, meeting) = (ValueCache(separatesTests: false), MakingMeeting { end.wait() })
    async let first = onThread { read(from: cache, with: meeting) }
    await meeting.waitForMaking()
    #expect(read(from: cache, with: meeting) == 2)
    end.signal()
    #expect(await first == 2)
  }

  @Test func `whoever needs a making in turn does not wait for it`() async {
    var underway = MakingsUnderway()
    let (outer, inner) = (place("outer"), place("inner"))
    guard case .first(let first) = underway.enter(outer, from: []),
      case .first(let second) = underway.enter(inner, from: [])
    else {
      Issue.record("nothing is underway yet")
      return
    }
    guard case .waits(for: let awaited) = underway.enter(inner, from: [first]) else {
      Issue.record("a value that another task makes is waited for")
      return
    }
    #expect(awaited === second)
    guard case .goesOn = underway.enter(outer, from: [second]) else {
      Issue.record("this wait would have no end")
      return
    }
    underway.endWait(for: second, from: [first])
    guard case .waits = underway.enter(outer, from: [second]) else {
      Issue.record("the first wait has ended")
      return
    }
  }

  private func place(_ name: String) -> Making.Place {
    Making.Place(
      cache: ObjectIdentifier(ValueCache.ofProcess), test: RunningTest(name: name),
      key: ObjectIdentifier(CountedKey.self), context: .test)
  }
}

private func wait(for semaphore: DispatchSemaphore) {
  semaphore.wait()
}

private func read(from cache: ValueCache, with meeting: MakingMeeting) -> Int {
  MakingMeeting.$current.withValue(meeting) {
    cache.value(of: MeetingKey.self, in: .test, readAt: .here).value
  }
}

/// Lets a value's first making wait for something that needs the value as well.
private final class MakingMeeting: Sendable {
  @TaskLocal static var current: MakingMeeting?

  private let makings = Counter()
  private let begun = AsyncStream.makeStream(of: Void.self)
  private let wait: @Sendable () -> Void

  init(_ wait: @escaping @Sendable () -> Void) {
    self.wait = wait
  }

  func make() -> Int {
    let number = makings.increment()
    if number == 1 {
      begun.continuation.finish()
      wait()
    }
    return number
  }

  func waitForMaking() async {
    for await _ in begun.stream {}
  }
}

private enum MeetingKey: TestDependencyKey {
  static var testValue: Int { MakingMeeting.current?.make() ?? 0 }
}

private enum MakingsKey: TestDependencyKey {
  static var testValue: Counter { Counter() }
}

private enum CountedKey: TestDependencyKey {
  static var testValue: Int { DependencyValues._current[MakingsKey.self].increment() }
}
