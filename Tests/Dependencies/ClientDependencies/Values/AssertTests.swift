import ClientDependencies
import Testing

@Suite struct AssertTests {
  @Dependency(\.assert) private var assert
  @Dependency(\.assertionFailure) private var assertionFailure
  @Dependency(\.precondition) private var precondition

  @Test func `a true condition is not an issue, with or without a message`() {
    assert(true)
    assert(true, "never said")
    precondition(true)
    precondition(true, "never said")
  }

  @Test func `a false condition in a test is an issue with the message at the condition's line`() {
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

  @Test func `assertionFailure in a test is an issue`() {
    withKnownIssue {
      assertionFailure("Unreachable.")
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Unreachable.") == true
    }
  }

  @Test func `assert, assertionFailure, precondition, and fireAndForget cannot be overridden`() {
    let readOnly: [PartialKeyPath<DependencyValues>] = [
      \.assert, \.assertionFailure, \.precondition, \.fireAndForget,
    ]
    #expect(readOnly.allSatisfy { "\(type(of: $0))".hasPrefix("KeyPath<") })
  }

  @Test func `the message of a true condition is not evaluated`() {
    let made = Counter()
    assert(true, "\(made.increment())")
    #expect(made.count == 0)
  }

  @Test func `the live precondition ends the process if its condition is false`() async {
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
