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

private enum MakingsKey: TestDependencyKey {
  static var testValue: Counter { Counter() }
}

private enum CountedKey: TestDependencyKey {
  static var testValue: Int { DependencyValues._current[MakingsKey.self].increment() }
}
