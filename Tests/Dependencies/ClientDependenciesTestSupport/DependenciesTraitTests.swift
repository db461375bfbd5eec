import ClientDependenciesTestSupport
import Testing

private let outer: @Sendable () -> String = { "outer" }
private let inner: @Sendable () -> String = { "inner" }

@Suite(.dependency(\.nameClient.name, outer), .dependency(\.supportNumber, 1))
struct DependenciesTraitTests {
  @Dependency(\.nameClient) private var client
  @Dependency(\.supportNumber) private var number
  @Dependency(\.tally) private var tally

  @Test func `a suite's trait applies to its tests`() {
    #expect(client.name() == "outer")
    #expect(number == 1)
  }

  @Test(.dependency(\.nameClient.name, inner))
  func `a test's trait overrides its suite's trait`() {
    #expect(client.name() == "inner")
    #expect(number == 1)
  }

  @Test(.dependency(\.supportNumber, 2), .dependency(\.supportNumber, 3))
  func `the later of two traits takes precedence`() {
    #expect(number == 3)
  }

  @Test(.dependency(\.supportNumber, 2))
  func `an override in a test takes precedence over the test's traits`() {
    withDependencies {
      $0.supportNumber = 4
    } operation: {
      #expect(number == 4)
    }
    #expect(number == 2)
  }

  @Test(.dependency(NameClient { "the client" }))
  func `a trait can override a whole client`() {
    #expect(client.name() == "the client")
  }

  @Test(
    .dependencies {
      $0.supportNumber += 10
      $0.nameClient.name = { "updated" }
    })
  func `a trait's update closure sees the changes of the suite's trait`() {
    #expect(number == 11)
    #expect(client.name() == "updated")
  }

  @Test(
    .dependencies {
      await Task.yield()
      $0.supportNumber = 5
    })
  func `a trait's update closure may be asynchronous`() {
    #expect(number == 5)
  }

  @Test(arguments: 0..<10)
  func `each test case has a fresh cache`(case: Int) async {
    #expect(tally.next() == 1)
    await Task.detached { [_tally] in #expect(_tally.wrappedValue.next() == 2) }.value
  }

  @Suite(.dependencies) struct Nested {
    @Dependency(\.supportNumber) private var number
    @Dependency(\.tally) private var tally

    @Test func `a nested suite keeps the outer suite's traits`() {
      #expect(number == 1)
      #expect(tally.next() == 1)
    }

    @Test(.dependency(\.tally, Tally()), arguments: 0..<4)
    func `a trait's value is created anew for each test case`(case: Int) {
      #expect(tally.next() == 1)
    }
  }
}

@Suite struct DependenciesTraitFailureTests {
  struct Failure: Error {}

  @Test func `an error in a trait's update closure is thrown before the test runs`() async throws {
    let trait = _DependenciesTrait.dependencies { _ in throw Failure() }
    let test = try #require(Test.current)
    await #expect(throws: Failure.self) {
      try await trait.provideScope(for: test, testCase: .current) {
        Issue.record("the test ran")
      }
    }
  }

  @Test func `values cached under a trait are released when the test ends`() async throws {
    let test = try #require(Test.current)
    let holder = Holder()
    try await _DependenciesTrait.dependencies.provideScope(for: test, testCase: .current) {
      @Dependency(\.tally) var tally
      holder.tally = tally
      #expect(holder.tally != nil)
    }
    #expect(holder.tally == nil)
  }
}

/// Only one task uses this class, so `@unchecked Sendable` is safe.
private final class Holder: @unchecked Sendable {
  weak var tally: Tally?
}
