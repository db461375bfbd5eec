#if !PointFreeDependencies
#if Foundation
/// A reporter for test processes that wraps the default reporter, so that issues outside a running
/// test are not lost.
struct StrayIssueReporter: IssueReporter {
  var base: any IssueReporter
  var tests = RunningTests.shared

  /// Wraps each of the process's default reporters in a `StrayIssueReporter`.
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

  /// Reports the issue to the test that it probably belongs to.
  ///
  /// This is the test that the enclosing `withScope` has set, or else the only test known to use
  /// dependencies. If there is neither, the issue is recorded without a test. The only known test
  /// may be the wrong one, so a note after the issue's text explains the choice.
  ///
  /// `report` reports the issue, with a note after its text.
  private func route(_ stray: StrayIssue, report: @escaping @Sendable (_ note: String?) -> Void) {
    // The first read of `isTesting` ends a test process without test support, because its issues
    // would be lost.
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

/// Runs when a process loads this module, because a test may report an issue without using anything
/// else in the module.
///
/// glibc passes the arguments of `main` to this function. `CommandLine` cannot be used: in a
/// statically linked program, it may be empty this early, and it would then stay empty.
@section(".init_array") @used
private let register: @convention(c) (CInt, UnsafePointer<UnsafePointer<CChar>>) -> Void = {
  count, words in
  // The pointer is valid during this call, and `words` has `count` strings.
  let arguments = (0..<Int(count)).map { String(cString: words[$0]) }
  if TestProcess.areTestArguments(arguments) { StrayIssueReporter.install() }
}

private func joined(_ message: String?, _ note: String?) -> String? {
  let parts = [message, note].compactMap { $0 }
  return parts.isEmpty ? nil : parts.joined(separator: "\n\n")
}
#endif

/// An issue that was reported outside a running test and has no `IssueOrigin`.
package struct StrayIssue: Sendable {
  /// The description of the issue, and the tests that it may belong to.
  package var text: String
  /// The severity of the issue.
  package var severity: IssueSeverity
  /// The location of the report, as `#fileID`.
  package var fileID: StaticString
  /// The location of the report, as `#filePath`.
  package var filePath: StaticString
  /// The line of the report, counted from 1.
  package var line: UInt
  /// The column of the report, counted from 1.
  package var column: UInt

  /// Returns the note at the end of an issue that was attributed to a test because no other test is
  /// known.
  static func attribution(to test: RunningTest) -> String {
    """
    This was reported \(place), where no test is running. It was attributed to \(test), the only test that is known to \
    use dependencies.
    """
  }

  /// Returns the issue with a sentence about the tests that it may belong to.
  func explained(candidates: [RunningTest]) -> StrayIssue {
    var issue = self
    // The cases of a parameterized test share a name.
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

  /// Where the caller runs: on a thread or in a task; nothing else is known about the issue's
  /// origin.
  private static var place: String {
    guard withUnsafeCurrentTask(body: { $0 != nil }) else {
      return "on a Dispatch queue or a thread"
    }
    return Task.name.map { "in the detached task '\($0)'" } ?? "in a detached task"
  }
}
#endif
