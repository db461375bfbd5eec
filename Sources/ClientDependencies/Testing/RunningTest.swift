#if !PointFreeDependencies
/// A test that is running: a function, and of a parameterised one the case.
package struct RunningTest: Hashable, Sendable, CustomStringConvertible {
  package var name: String
  /// Where the test is declared, as in `Module/File.swift`; empty where that is not known.
  package var fileID: String
  package var line: Int
  package var column: Int
  /// The arguments of a parameterised test's case, in a form that only tells cases apart.
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
    TestFramework.current.currentTest() ?? IssueOrigin.ofEscapedScope.test ?? XCTestRun.current
  }
}
#endif
