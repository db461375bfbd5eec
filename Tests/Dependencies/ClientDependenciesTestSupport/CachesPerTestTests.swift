import ClientDependenciesTestSupport
import Testing

/// Tests without a trait, each of which must get its own values.
@Suite struct CachesPerTestTests {
  @Dependency(\.tally) private var tally

  @Test func `a test has its own values`() {
    #expect(tally.next() == 1)
    #expect(tally.next() == 2)
  }

  @Test func `another test does not see a test's values`() {
    #expect(tally.next() == 1)
  }

  @Test(arguments: 0..<20)
  func `each case of a parameterized test has its own values`(number: Int) async {
    #expect(tally.next() == 1)
    await Task.yield()
    #expect(tally.next() == 2)
  }

  @Test(arguments: [7, 7, 7])
  func `test cases with equal arguments have separate values`(number: Int) {
    #expect(tally.next() == 1)
  }

  @Test(arguments: ["a", "b"], [1, 2, 3])
  func `test cases with combined arguments have separate values`(text: String, number: Int) {
    #expect(tally.next() == 1)
  }

  @Test(arguments: [Opaque(), Opaque()])
  func `test cases with unencodable arguments have separate values`(argument: Opaque) async {
    #expect(tally.next() == 1)
    await Task.detached { [_tally] in #expect(_tally.wrappedValue.next() == 2) }.value
  }
}

struct Opaque: Sendable {}
