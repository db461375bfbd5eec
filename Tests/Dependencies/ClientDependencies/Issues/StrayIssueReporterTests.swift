import Foundation
import Testing

@testable import ClientDependencies

@Suite struct StrayIssueReporterTests {
  @Test func `issues in a test go to the default reporter`() {
    withKnownIssue {
      reportIssue("usual")
    } matching: {
      $0.comments.first?.rawValue == "usual"
    }
  }

  @Test func `an issue from another thread is attributed to the only known test`() async {
    let base = NotingReporter()
    let tests = RunningTests()
    let suspended = Mark.$current.withValue("the test") {
      SuspendedTest(in: RunningTest(name: "the test"))
    }
    tests.add(suspended)
    let reporter = StrayIssueReporter(base: base, tests: tests)
    await Elsewhere.thread.run { reporter.report("issue") }
    await Elsewhere.thread.run { reporter.report(Failure()) }
    #expect(
      base.noted.all.map { $0.split(separator: "\n").first } == [
        "the test: issue", "the test: Failure()",
      ])
    for text in base.noted.all {
      #expect(
        text.hasSuffix("attributed to the test, the only test that is known to use dependencies."))
    }
  }

  @Test func `the text of an issue outside a test names the kind of task or thread`() async {
    let issue = StrayIssue(
      text: "Unimplemented", severity: .error, fileID: "A/B.swift", filePath: "B.swift", line: 1,
      column: 2)
    let text: @Sendable () -> String = { issue.explained(candidates: []).text }
    let inTask = await Task.detached(operation: text).value
    let inNamedTask = await Task.detached(name: "loader", operation: text).value
    let onThread = await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: text()) }.start()
    }
    #expect(inTask.contains("reported in a detached task, where"))
    #expect(inNamedTask.contains("reported in the detached task 'loader', where"))
    #expect(onThread.contains("reported on a Dispatch queue or a thread, where"))
  }

  @Test func `an issue in an escaped scope is reported without a note about its test`() async {
    let base = NotingReporter()
    let reporter = StrayIssueReporter(base: base, tests: RunningTests())
    await withEscapedDependencies { dependencies in
      await Elsewhere.thread.run { dependencies.yield { reporter.report("issue") } }
    }
    #expect(base.noted.all == ["nowhere: issue"])
  }

  @Test func `expected issues go to the default reporter`() {
    let base = NotingReporter()
    let reporter = StrayIssueReporter(base: base)
    reporter.expectIssue(
      "issue", fileID: #fileID, filePath: #filePath, line: #line, column: #column)
    reporter.expectIssue(
      Failure(), nil, fileID: #fileID, filePath: #filePath, line: #line, column: #column)
    #expect(base.noted.all == ["expected: issue", "expected: Failure()"])
  }

  @Test func `the text of an issue outside a test lists the possible tests`() {
    let issue = StrayIssue(
      text: "Unimplemented", severity: .error, fileID: "A/B.swift", filePath: "B.swift", line: 1,
      column: 2)
    let one = RunningTest(name: "one()", fileID: "A/OneTests.swift", line: 3)
    let text = issue.explained(candidates: [one, RunningTest(name: "another()")]).text
    #expect(text.hasPrefix("Unimplemented\n"))
    #expect(text.contains("It may be:\n  another()\n  one() at A/OneTests.swift:3\n"))
    #expect(text.contains("IssueOrigin.current"))
    let cases = (0..<2).map { RunningTest(name: "cases", arguments: [$0]) }
    let names = issue.explained(candidates: cases).text.split(separator: "\n").filter {
      $0 == "  cases"
    }
    #expect(names.count == 1)
    #expect(issue.explained(candidates: []).text.contains("No running test is known"))
  }
}

private struct Failure: Error {}

private enum Mark {
  @TaskLocal static var current = "nowhere"
}

private struct NotingReporter: IssueReporter {
  let noted = Recorder<String>()

  func reportIssue(
    _ message: @autoclosure () -> String?, severity: IssueSeverity, fileID: StaticString,
    filePath: StaticString, line: UInt, column: UInt
  ) {
    noted.append("\(Mark.current): \(message() ?? "")")
  }

  func reportIssue(
    _ error: any Error, _ message: @autoclosure () -> String?, fileID: StaticString,
    filePath: StaticString, line: UInt, column: UInt
  ) {
    noted.append("\(Mark.current): \(error)\n\(message() ?? "")")
  }

  func expectIssue(
    _ message: @autoclosure () -> String?, fileID: StaticString, filePath: StaticString, line: UInt,
    column: UInt
  ) {
    noted.append("expected: \(message() ?? "")")
  }

  func expectIssue(
    _ error: any Error, _ message: @autoclosure () -> String?, fileID: StaticString,
    filePath: StaticString, line: UInt, column: UInt
  ) {
    noted.append("expected: \(error)")
  }
}

extension IssueReporter {
  fileprivate func report(_ message: String) {
    reportIssue(
      message, severity: .error, fileID: #fileID, filePath: #filePath, line: #line, column: #column)
  }

  fileprivate func report(_ error: any Error) {
    reportIssue(
      error, nil, fileID: #fileID, filePath: #filePath, line: #line, column: #column)
  }
}
