#if !PointFreeDependencies
#if Foundation
/// A reporter of test processes, around the usual one, that loses nothing which is reported where
/// no test is running.
struct StrayIssueReporter: IssueReporter {
  var base: any IssueReporter
  var tests = RunningTests.shared

  /// Puts one around each default reporter of the process.
  static func install() {
    IssueReporters.current = IssueReporters.current.map { reporter in
      reporter is _DefaultReporter ? StrayIssueReporter(base: reporter) : reporter
    }
  }

  func reportIssue(
    _ message: @autoclosure () -> String?, severity: IssueSeverity, fileID: StaticString,
    filePath: StaticString, line: UInt, column: UInt
  ) {
    let message = message()
    let stray = StrayIssue(
      text: message ?? "", severity: severity, fileID: fileID, filePath: filePath, line: line,
      column: column)
    route(stray) { [base] note in
      base.reportIssue(
        joined(message, note), severity: severity, fileID: fileID, filePath: filePath, line: line,
        column: column)
    }
  }

  func reportIssue(
    _ error: any Error, _ message: @autoclosure () -> String?, fileID: StaticString,
    filePath: StaticString, line: UInt, column: UInt
  ) {
    let message = message()
    let stray = StrayIssue(
      text: "Caught error: \(error)\(message.map { ": \($0)" } ?? "")", severity: .error,
      fileID: fileID, filePath: filePath, line: line, column: column)
    route(stray) { [base] note in
      base.reportIssue(
        error, joined(message, note), fileID: fileID, filePath: filePath, line: line, column: column
      )
    }
  }

  func expectIssue(
    _ message: @autoclosure () -> String?, fileID: StaticString, filePath: StaticString, line: UInt,
    column: UInt
  ) {
    base.expectIssue(
      message(), fileID: fileID, filePath: filePath, line: line, column: column)
  }

  func expectIssue(
    _ error: any Error, _ message: @autoclosure () -> String?, fileID: StaticString,
    filePath: StaticString, line: UInt, column: UInt
  ) {
    base.expectIssue(
      error, message(), fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Gives the issue to the scope around that escaped from its test, or to the only test that is
  /// known to use dependencies, or records it without a test.
  ///
  /// A test that uses none is not known: an issue from its detached task may go to that only one,
  /// so its text explains how it came there.
  ///
  /// - Parameter report: Reports the issue, with a note after its text.
  private func route(_ stray: StrayIssue, report: @escaping @Sendable (_ note: String?) -> Void) {
    // Reading `isTesting` first ends a process that has no receiver for issues.
    guard isTesting, TestProcess.isSwiftTesting, TestFramework.current?.currentTest() == nil else {
      return report(nil)
    }
    let escaped = IssueOrigin.ofEscapedScope
    if escaped.test != nil { return escaped.perform { report(nil) } }
    let alive = tests.alive
    if let only = alive.first, alive.count == 1 {
      return only.perform { report(StrayIssue.attribution(to: only.test)) }
    }
    TestFramework.current?.recordWithoutTest(stray.explained(candidates: alive.map(\.test)))
  }
}

/// Runs when a process loads this module, because a test may report an issue without using anything else in it.
///
/// glibc hands it the arguments of `main`. `CommandLine` would be read too early: in a statically linked program it may
/// not have them yet, and then it stays empty.
@section(".init_array") @used
private let register: @convention(c) (CInt, UnsafePointer<UnsafePointer<CChar>>) -> Void = {
  count, words in
  // The pointer is valid during the call: `words` has `count` strings.
  let arguments = (0..<Int(count)).map { String(cString: words[$0]) }
  if TestProcess.areTestArguments(arguments) { StrayIssueReporter.install() }
}

private func joined(_ message: String?, _ note: String?) -> String? {
  let parts = [message, note].compactMap { $0 }
  return parts.isEmpty ? nil : parts.joined(separator: "\n\n")
}
#endif

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
    // The cases of a parameterized test have one name.
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
