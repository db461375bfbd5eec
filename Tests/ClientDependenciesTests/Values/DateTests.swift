import ClientDependencies
import Foundation
import Testing

@Suite struct DateTests {
  @Dependency(\.date) private var date
  @Dependency(\.date.now) private var now
  private let start = Date(timeIntervalSinceReferenceDate: 0)

  @Test func `a test that gives no date gets an issue and the date`() {
    withKnownIssue {
      #expect(now.timeIntervalSince(start) > 0)
      #expect(date().timeIntervalSince(start) > 0)
    } matching: { issue in
      issue.comments.first?.rawValue.contains("@Dependency(\\.date)") == true
    }
  }

  @Test func `the date that a test sets is returned by both ways of asking`() {
    withDependencies {
      $0.date.now = start
    } operation: {
      #expect(now == start)
      #expect(date() == start)
    }
  }

  /// Swift reads what it writes to through a key path.
  @Test func `a date that is set through a key path is no use of the date before it`() {
    let path: any WritableKeyPath<DependencyValues, Date> & Sendable = \.date.now
    withDependencies {
      $0[keyPath: path] = start
    } operation: {
      #expect(now == start)
    }
  }

  @Test(arguments: Elsewhere.allCases)
  func `a date that is asked for elsewhere is an issue of the test`(place: Elsewhere) async {
    await withKnownIssue {
      let date = date
      await place.run { _ = date() }
    } matching: { issue in
      issue.comments.first?.rawValue.contains("@Dependency(\\.date)") == true
    }
  }

  @Test func `a generator returns what its closure returns, or a constant`() {
    let calls = Counter()
    let counting = DateGenerator { Date(timeIntervalSinceReferenceDate: Double(calls.increment())) }
    #expect([counting(), counting.now].map(\.timeIntervalSinceReferenceDate) == [1, 2])
    #expect(DateGenerator.constant(start)() == start)
  }
}
