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
    This was reported where no test is running: in a detached task, on a Dispatch queue or on a thread. It was \
    attributed to \(test), the only test that is known to use dependencies.
    """
  }

  /// The issue with a sentence about the tests that it may belong to.
  func explained(candidates: [RunningTest]) -> StrayIssue {
    var issue = self
    let names = candidates.map(\.description).sorted().map { "\n  \($0)" }.joined()
    let tests =
      names.isEmpty ? "No running test is known to use dependencies." : "It may be:\(names)"
    issue.text = """
      \(text)

      This was reported where no test is running: in a detached task, on a Dispatch queue or on a thread. \(tests)
      To have it belong to its test, make the closure that reports capture 'IssueOrigin.current', or escape with \
      'withEscapedDependencies'.
      """
    return issue
  }
}
#endif
