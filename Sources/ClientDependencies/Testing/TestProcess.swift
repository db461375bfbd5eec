#if !PointFreeDependencies
import Foundation

/// What is known of the process in which tests run.
enum TestProcess {
  /// Whether the tests are Swift Testing's: SwiftPM runs XCTest's in a process of their own.
  static var isSwiftTesting: Bool { wasAskedForSwiftTesting || RunningTests.shared.haveBeenSeen }

  static let wasAskedForSwiftTesting = asksForSwiftTesting(CommandLine.arguments)

  static func asksForSwiftTesting(_ arguments: [String]) -> Bool {
    arguments.contains("--testing-library=swift-testing")
      || zip(arguments, arguments.dropFirst()).contains {
        $0 == "--testing-library" && $1 == "swift-testing"
      }
  }

  static let advice = """
    The values of dependencies are not kept apart between tests, and issues from other threads do not fail their \
    test. Add the product "ClientDependenciesTestSupport" to the dependencies of the test target.
    """

  /// Says once per process that the product for tests is not linked.
  static func complainIfWithoutSupport() {
    if !TestFramework.isInstalled { _ = complaint }
  }

  private static let complaint: Void = tell(advice)

  static func tell(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
#endif
