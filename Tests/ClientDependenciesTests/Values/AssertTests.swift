import ClientDependencies
import Testing

@Suite struct AssertTests {
  @Dependency(\.assert) private var assert
  @Dependency(\.assertionFailure) private var assertionFailure
  @Dependency(\.precondition) private var precondition

  @Test func `a condition that is true is no issue, with a text or without`() {
    assert(true)
    assert(true, "never said")
    precondition(true)
    precondition(true, "never said")
  }

  @Test func `in a test a condition that is false is an issue with the message, at its line`() {
    let line = #line + 2
    withKnownIssue {
      assert(false, "The volume is negative.")
    } matching: { issue in
      issue.comments.first?.rawValue.contains("The volume is negative.") == true
        && issue.sourceLocation?.line == line
        && issue.sourceLocation?.fileID.hasSuffix("AssertTests.swift") == true
    }
    withKnownIssue {
      precondition(false, "No frames.")
    } matching: { issue in
      issue.comments.first?.rawValue.contains("No frames.") == true
    }
    withKnownIssue { assert(false) }
  }

  @Test func `an assertion failure is a failed assertion`() {
    withKnownIssue {
      assertionFailure("Unreachable.")
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Unreachable.") == true
    }
  }

  @Test func `the scope chooses the checks by its context, and sets none`() {
    let readOnly: [PartialKeyPath<DependencyValues>] = [
      \.assert, \.assertionFailure, \.precondition, \.fireAndForget,
    ]
    #expect(readOnly.allSatisfy { "\(type(of: $0))".hasPrefix("KeyPath<") })
  }

  @Test func `the message of a condition that is true is not made`() {
    let made = Counter()
    assert(true, "\(made.increment())")
    #expect(made.count == 0)
  }

  @Test func `a live precondition that is false ends the process`() async {
    await #expect(processExitsWith: .failure) {
      withDependencies {
        $0.context = .live
      } operation: {
        @Dependency(\.precondition) var precondition
        precondition(false, "No frames.")
      }
    }
  }
}
