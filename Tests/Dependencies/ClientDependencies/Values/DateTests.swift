import ClientDependencies
import Foundation
import Testing

@Suite struct DateTests {
  @Dependency(\.date) private var date
  @Dependency(\.date.now) private var now
  private let start = Date(timeIntervalSinceReferenceDate: 0)

  @Test func `reading the date without an override is an issue and returns the date`() {
    withKnownIssue {
      #expect(now.timeIntervalSince(start) > 0)
      #expect(date().timeIntervalSince(start) > 0)
    } matching: { issue in
      issue.comments.first?.rawValue.contains("@Dependency(\\.date)") == true
    }
  }

  @Test func `date.now and date() both return the test's date`() {
    withDependencies {
      $0.date.now = start
    } operation: {
      #expect(now == start)
      #expect(date() == start)
    }
  }

  /// To write through a key path, Swift first reads the value.
  @Test func `setting the date through a key path is not reported as a read of the date`() {
    let path: any WritableKeyPath<DependencyValues, Date> & Sendable = \.date.now
    withDependencies {
      $0[keyPath: path] = start
    } operation: {
      #expect(now == start)
    }
  }

  @Test(arguments: Elsewhere.allCases)
  func `reading the date on another thread records an issue in the test`(place: Elsewhere) async {
    await withKnownIssue {
      let date = date
      await place.run { _ = date() }
    } matching: { issue in
      issue.comments.first?.rawValue.contains("@Dependency(\\.date)") == true
    }
  }

  @Test func `a date generator returns its closure's date or a constant`() {
    let calls = Counter()
    let counting = DateGenerator { Date(timeIntervalSinceReferenceDate: Double(calls.increment())) }
    #expect([counting(), counting.now].map(\.timeIntervalSinceReferenceDate) == [1, 2])
    #expect(DateGenerator.constant(start)() == start)
  }
}
