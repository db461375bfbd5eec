#if !PointFreeDependencies
/// An issue that was reported where no test is running, and without an origin.
package struct StrayIssue: Sendable {
  /// What is wrong, and which tests may be meant.
  package var text: String
  /// How bad it is.
  package var severity: IssueSeverity
  /// The place that it was reported from, as `#fileID`.
  package var fileID: StaticString
  /// The place that it was reported from, as `#filePath`.
  package var filePath: StaticString
  /// The line that it was reported from, from 1.
  package var line: UInt
  /// The column that it was reported from, from 1.
  package var column: UInt

  /// What the text of an issue ends with that was given to a test because no other is known.
  static func attribution(to test: RunningTest) -> String {
    """
    This was reported \(place), where no test is running. It was attributed to \(test), the only test that is known to \
    use dependencies.
    """
  }

  /// The issue with a sentence about the tests that it may belong to.
  func explained(candidates: [RunningTest]) -> StrayIssue {
    var issue = self
    // The cases of a parameterised test have one name.
    let names = Set(candidates.map(\.description)).sorted().map { "\n  \($0)" }.joined()
    let tests =
      names.isEmpty ? "No running test is known to use dependencies." : "It may be:\(names)"
    issue.text = """
      \(text)

      This was reported \(Self.place), where no test is running. \(tests)
      To have it belong to its test, make the closure that reports capture 'IssueOrigin.current', or escape with \
      'withEscapedDependencies'.
      """
    return issue
  }

  /// Where the caller runs, which is all that is known of its origin.
  private static var place: String {
    guard withUnsafeCurrentTask(body: { $0 != nil }) else {
      return "on a Dispatch queue or a thread"
    }
    return Task.name.map { "in the detached task '\($0)'" } ?? "in a detached task"
  }
}
#endif
