import ClientDependenciesTestSupport
import Testing

@Suite struct PassingCaches {
  @Dependency(Tally.self) private var tally

  @Test func one() {
    #expect(tally.next() == 1)
    #expect(tally.next() == 2)
  }

  @Test func another() {
    #expect(tally.next() == 1)
  }

  @Test(arguments: 0..<10) func parameterised(number: Int) async {
    #expect(tally.next() == 1)
    await Elsewhere.thread.run { [_tally] in #expect(_tally.wrappedValue.next() == 2) }
  }

  @Test(arguments: [1, 1]) func withEqualArguments(number: Int) {
    #expect(tally.next() == 1)
  }

  @Test(.dependency(Tally())) func withATrait() {
    #expect(tally.next() == 1)
  }
}
