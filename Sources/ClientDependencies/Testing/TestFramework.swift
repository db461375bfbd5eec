#if !PointFreeDependencies
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
    StrayIssueReporter.install()
  }

  static var current: TestFramework { installed.load()?.framework ?? .withoutSupport }

  static var isInstalled: Bool { installed.load() != nil }

  /// What can be found out without the product: it does not tell cases of a test apart.
  private static let withoutSupport = TestFramework(
    currentTest: {
      guard case .swiftTesting(let testing?) = TestContext.current else { return nil }
      return RunningTest(name: "\(testing.test.id.rawValue)")
    },
    recordWithoutTest: { issue in
      TestProcess.tell("\(issue.fileID):\(issue.line): \(issue.text)\n\n\(TestProcess.advice)")
    })
}
#endif
