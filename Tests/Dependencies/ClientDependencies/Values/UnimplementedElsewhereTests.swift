import ClientDependencies
import Dispatch
import Foundation
import Testing

/// Values that a test did not override, used outside the test's task.
@Suite struct UnimplementedElsewhereTests {
  @Test(arguments: Elsewhere.allCases)
  func `an unimplemented date read outside the test's task fails the test`(place: Elsewhere) async {
    await withKnownIssue {
      @Dependency(\.date) var date
      await place.run { [date] in _ = date.now }
    } matching: {
      Self.text(of: $0).contains(#"Unimplemented: '@Dependency(\.date)'"#)
    }
  }

  @Test func `an unimplemented openURL called outside the test's task fails the test`() async {
    await withKnownIssue {
      @Dependency(\.openURL) var openURL
      await Task.detached { [openURL] in _ = await openURL(URL(filePath: "/")) }.value
    } matching: {
      Self.text(of: $0).contains(#"Unimplemented: '@Dependency(\.openURL)'"#)
    }
  }

  @Test(arguments: Elsewhere.allCases)
  func `a failed assertion outside the test's task fails the test`(place: Elsewhere) async {
    await withKnownIssue {
      @Dependency(\.assert) var assert
      await place.run { [assert] in assert(false, "The volume is negative.") }
    } matching: {
      Self.text(of: $0) == "The volume is negative."
    }
  }

  @Test(arguments: Elsewhere.allCases)
  func `an unimplemented scheduler used outside the test's task fails the test`(
    place: Elsewhere
  ) async {
    let done = Counter()
    await withKnownIssue {
      @Dependency(\.mainQueue) var mainQueue
      await place.run { [mainQueue] in mainQueue.schedule { done.increment() } }
    } matching: {
      Self.text(of: $0).contains(#"Unimplemented: '@Dependency(\.mainQueue)'"#)
    }
    #expect(done.count == 1)
  }

  private static func text(of issue: Issue) -> String {
    issue.comments.first?.rawValue ?? ""
  }
}
