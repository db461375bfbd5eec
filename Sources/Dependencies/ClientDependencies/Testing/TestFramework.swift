#if !PointFreeDependencies
import Glibc
import Synchronization

/// What this module asks of the test framework, which it does not import.
///
/// The product `ClientDependenciesTestSupport` installs it as soon as it is linked.
package struct TestFramework: Sendable {
  /// The test whose task is running, with its case; nil elsewhere, and under XCTest.
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

  /// Nil in a program; a test process without it ends (see `isTesting`).
  static var current: TestFramework? { installed.load()?.framework }
}

/// A test that is running: a function, and of a parameterized one the case.
package struct RunningTest: Hashable, Sendable, CustomStringConvertible {
  package var name: String
  /// Where the test is declared, as in `Module/File.swift`; empty where that is not known.
  package var fileID: String
  package var line: Int
  package var column: Int
  /// The arguments of a parameterized test's case, in a form that only distinguishes cases.
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
  /// The test that the current task belongs to, or the one that the scope around escaped from;
  /// under XCTest, on every thread, the case that is running.
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

/// What is known of the process in which tests run.
enum TestProcess {
  /// Whether the tests are Swift Testing's: SwiftPM runs XCTest's in a separate process.
  static var isSwiftTesting: Bool { wasAskedForSwiftTesting || RunningTests.shared.haveBeenSeen }

  private static let wasAskedForSwiftTesting = asksForSwiftTesting(CommandLine.arguments)

  static func asksForSwiftTesting(_ arguments: [String]) -> Bool {
    arguments.contains("--testing-library=swift-testing")
      || zip(arguments, arguments.dropFirst()).contains {
        $0 == "--testing-library" && $1 == "swift-testing"
      }
  }

  /// Whether the arguments are those of a process that `swift test` starts.
  static func areTestArguments(_ arguments: [String]) -> Bool {
    arguments.first?.hasSuffix(".xctest") == true || asksForSwiftTesting(arguments)
  }

  /// Ends the process, whose tests would pass despite issues.
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

/// The run of XCTest's cases, as an observer reports it.
package enum XCTestRun {
  // The number of the case that is running; between two cases, that of the last one with a minus.
  // Only the thread that runs the cases writes it.
  private static let number = Atomic(0)

  /// The case that is running, if XCTest runs and an observer reports it.
  static var current: RunningTest? {
    let number = number.load(ordering: .relaxed)
    return number > 0 ? RunningTest(name: "XCTest case", line: number) : nil
  }

  /// A case starts, with none of the values that others used.
  package static func caseWillStart() {
    number.store(abs(number.load(ordering: .relaxed)) + 1, ordering: .relaxed)
  }

  /// The case has ended: its values are released.
  package static func caseDidFinish() {
    if let current { ValueCache.ofProcess.removeValues(of: current) }
    number.store(-abs(number.load(ordering: .relaxed)), ordering: .relaxed)
  }
}
#endif
