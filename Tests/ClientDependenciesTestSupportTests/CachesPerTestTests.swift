import ClientDependenciesTestSupport
import Testing

/// Without a trait.
@Suite struct CachesPerTestTests {
  @Dependency(\.tally) private var tally

  @Test func `a test has values of its own`() {
    #expect(tally.next() == 1)
    #expect(tally.next() == 2)
  }

  @Test func `another test does not see them`() {
    #expect(tally.next() == 1)
  }

  @Test(arguments: 0..<20)
  func `each case of a parameterised test has values of its own`(number: Int) async {
    #expect(tally.next() == 1)
    await Task.yield()
    #expect(tally.next() == 2)
  }

  @Test(arguments: [7, 7, 7])
  func `so have cases with equal arguments`(number: Int) {
    #expect(tally.next() == 1)
  }

  @Test(arguments: ["a", "b"], [1, 2, 3])
  func `so have cases that combine arguments`(text: String, number: Int) {
    #expect(tally.next() == 1)
  }

  @Test(arguments: [Opaque(), Opaque()])
  func `so have cases whose arguments cannot be encoded`(argument: Opaque) async {
    #expect(tally.next() == 1)
    await Task.detached { [_tally] in #expect(_tally.wrappedValue.next() == 2) }.value
  }
}

struct Opaque: Sendable {}
