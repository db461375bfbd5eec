#if !PointFreeDependencies
import Glibc
import Synchronization

/// The functions of the test framework, which this module does not import.
///
/// The product `ClientDependenciesTestSupport` installs them as soon as it is linked.
package struct TestFramework: Sendable {
  /// Returns the test and case of the current task; nil outside of tests and under XCTest.
  package var currentTest: @Sendable () -> RunningTest?
  /// Records an issue that belongs to no test, so that the run fails.
  package var recordWithoutTest: @Sendable (StrayIssue) -> Void

  package init(
    currentTest: @escaping @Sendable () -> RunningTest?,
    recordWithoutTest: @escaping @Sendable (StrayIssue) -> Void
  ) {
    self.currentTest = currentTest
    self.recordWithoutTest = recordWithoutTest
  }
}

extension TestFramework {
  private final class Installed: Sendable {
    let framework: TestFramework
    init(_ framework: TestFramework) { self.framework = framework }
  }
  private static let installed = AtomicLazyReference<Installed>()

  /// Installs the framework of this process, before the first test runs.
  package static func install(_ framework: TestFramework) {
    _ = installed.storeIfNil(Installed(framework))
    #if Foundation
    StrayIssueReporter.install()
    #endif
  }

  /// The installed framework; nil in a program.
  ///
  /// A test process in which no framework is installed is terminated (see `isTesting`).
  static var current: TestFramework? { installed.load()?.framework }
}

/// A running test: a function, and the case if it is parameterized.
package struct RunningTest: Hashable, Sendable, CustomStringConvertible {
  package var name: String
  /// The file of the test, as in `Module/File.swift`; empty if unknown.
  package var fileID: String
  package var line: Int
  package var column: Int
  /// The arguments of a parameterized test's case, in a form that serves only to distinguish cases.
  package var arguments: [UInt8]?

  package init(
    name: String, fileID: String = "", line: Int = 0, column: Int = 0, arguments: [UInt8]? = nil
  ) {
    self.name = name
    self.fileID = fileID
    self.line = line
    self.column = column
    self.arguments = arguments
  }

  package var description: String {
    fileID.isEmpty ? name : "\(name) at \(fileID):\(line)"
  }
}

extension RunningTest {
  /// The test of the current task, or else the test that the enclosing `withScope` has set.
  ///
  /// Under XCTest, it is the running case on every thread.
  static var current: RunningTest? {
    TestFramework.current?.currentTest() ?? IssueOrigin.ofEscapedScope.test ?? XCTestRun.current
  }
}

/// Whether tests run in this process.
///
/// The first read ends a test process without `ClientDependenciesTestSupport`.
let isTesting: Bool = {
  #if Foundation
  guard IssueReporting.isTesting else { return false }
  if TestFramework.current != nil { return true }
  #endif
  guard TestProcess.areTestArguments(CommandLine.arguments) else { return false }
  TestProcess.endWithoutSupport()
}()

/// Facts about a process that runs tests.
enum TestProcess {
  /// Whether the tests in this process are those of Swift Testing; SwiftPM runs XCTest cases in a
  /// separate process.
  static var isSwiftTesting: Bool { wasAskedForSwiftTesting || RunningTests.shared.haveBeenSeen }

  private static let wasAskedForSwiftTesting = asksForSwiftTesting(CommandLine.arguments)

  static func asksForSwiftTesting(_ arguments: [String]) -> Bool {
    arguments.contains("--testing-library=swift-testing")
      || zip(arguments, arguments.dropFirst()).contains {
        $0 == "--testing-library" && $1 == "swift-testing"
      }
  }

  /// Whether these are the arguments of a process that `swift test` starts.
  static func areTestArguments(_ arguments: [String]) -> Bool {
    arguments.first?.hasSuffix(".xctest") == true || asksForSwiftTesting(arguments)
  }

  /// Ends a test process that lacks the support product, because issues would not fail its tests.
  static func endWithoutSupport() -> Never {
    warn(
      """
      Issues cannot fail tests in this process: it lacks the product "ClientDependenciesTestSupport". Add the product \
      "ClientDependenciesTestSupport" of the package syrinx to the test target, and keep the package's trait \
      "Foundation" enabled.
      """)
    _exit(EXIT_FAILURE)
  }

  static func warn(_ text: String) {
    let line = "\(text)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
  }
}

/// The state of an XCTest run, reported by an observer.
package enum XCTestRun {
  // The number of the running case; between two cases, the negative number of the previous case.
  // Only the thread that runs the cases writes it.
  private static let number = Atomic(0)

  /// The running case, if XCTest runs and an observer reports it.
  static var current: RunningTest? {
    let number = number.load(ordering: .relaxed)
    return number > 0 ? RunningTest(name: "XCTest case", line: number) : nil
  }

  /// Records the start of an XCTest case, which has its own dependency values.
  package static func caseWillStart() {
    number.store(abs(number.load(ordering: .relaxed)) + 1, ordering: .relaxed)
  }

  /// Records the end of a case and releases its values.
  package static func caseDidFinish() {
    if let current { ValueCache.ofProcess.removeValues(of: current) }
    number.store(-abs(number.load(ordering: .relaxed)), ordering: .relaxed)
  }
}
#endif
