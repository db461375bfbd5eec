import Testing

@testable import ClientDependencies

@Suite struct RunningTestsTests {
  private let tests = RunningTests()

  @Test func `a test is alive while something holds an origin of it`() {
    let one = RunningTest(name: "one")
    var suspended: SuspendedTest? = SuspendedTest(in: one)
    if let suspended { tests.add(suspended) }
    #expect(tests.alive.map(\.test) == [one])
    suspended = nil
    #expect(tests.alive.map(\.test) == [])
    #expect(suspended == nil && tests.haveBeenSeen)
  }

  @Test func `several origins of a test count once`() {
    let origins = (0..<3).map { _ in SuspendedTest(in: RunningTest(name: "one")) }
    for origin in origins { tests.add(origin) }
    #expect(tests.alive.count == 1)
    #expect(origins.count == 3)
  }

  @Test func `cases of a test are tests of their own`() {
    let origins = [[1], [2]].map { SuspendedTest(in: RunningTest(name: "one", arguments: $0)) }
    for origin in origins { tests.add(origin) }
    #expect(tests.alive.count == origins.count)
  }
}
