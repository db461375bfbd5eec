import Testing

@testable import ClientDependencies

@Suite struct RunningTestsTests {
  private let tests = RunningTests()

  @Test func `a test counts as running while one of its suspended tasks is retained`() {
    let one = RunningTest(name: "one")
    var suspended: SuspendedTest? = SuspendedTest(in: one)
    if let suspended { tests.add(suspended) }
    #expect(tests.alive.map(\.test) == [one])
    suspended = nil
    #expect(tests.alive.map(\.test) == [])
    #expect(suspended == nil && tests.haveBeenSeen)
  }

  @Test func `several suspended tasks of one test count as one running test`() {
    let origins = (0..<3).map { _ in SuspendedTest(in: RunningTest(name: "one")) }
    for origin in origins { tests.add(origin) }
    #expect(tests.alive.count == 1)
    #expect(origins.count == 3)
  }

  @Test func `once a test has many suspended tasks, the next @Dependency shares the oldest task`() {
    let one = RunningTest(name: "one")
    var origins = (0..<RunningTests.manyOrigins).map { _ in SuspendedTest(in: one) }
    for origin in origins.dropLast() { tests.add(origin) }
    #expect(tests.origin(sharedBy: one) == nil)
    tests.add(origins[RunningTests.manyOrigins - 1])
    #expect(tests.origin(sharedBy: one) === origins[0])
    #expect(tests.origin(sharedBy: RunningTest(name: "another")) == nil)
    origins.removeFirst()
    #expect(tests.origin(sharedBy: one) === origins[0])
  }

  @Test func `thousands of @Dependency wrappers in one test share a few suspended tasks`() {
    let models = (0..<3_000).map { _ in Model() }
    let origins = models.flatMap { Mirror(reflecting: $0).children }
      .compactMap { ($0.value as? any ScopeCapturing)?.captured.origin }
    #expect(origins.count == 2 * models.count)
    #expect(Set(origins.map(\.id)).count <= RunningTests.manyOrigins)
    #expect(origins.allSatisfy { $0.test == IssueOrigin.current.test })
    let (one, another) = (IssueOrigin.current, IssueOrigin.current)
    #expect(one.id != another.id)
  }

  @Test func `each case of a test counts as a separate test`() {
    let origins = [[1], [2]].map { SuspendedTest(in: RunningTest(name: "one", arguments: $0)) }
    for origin in origins { tests.add(origin) }
    #expect(tests.alive.count == origins.count)
  }
}

private struct Model {
  @Dependency(\.number) var number
  @Dependency(\.interfaceOnly) var text
}
