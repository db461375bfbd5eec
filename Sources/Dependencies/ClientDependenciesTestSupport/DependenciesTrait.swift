#if !PointFreeDependencies
public import ClientDependencies
public import Testing
import XCTest

/// A trait that gives each test its own dependency values, with overrides.
///
/// Use it through `.dependencies`, `.dependencies { }`, and `.dependency`.
public struct _DependenciesTrait: TestTrait, SuiteTrait, TestScoping {
  private let updateValues:
    nonisolated(nonsending) @Sendable (inout DependencyValues) async throws -> Void

  init(
    _ updateValues:
      nonisolated(nonsending) @escaping @Sendable (inout DependencyValues) async throws -> Void
  ) {
    self.updateValues = updateValues
  }

  /// On a suite, the trait applies to each test separately.
  public var isRecursive: Bool { true }

  /// Runs a test, or one case of it, with the overrides and an empty cache.
  ///
  /// - Throws: the errors of the update closure and of the test.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withDependencies {
      $0.startCache()
      try await updateValues(&$0)
    } operation: {
      try await function()
    }
  }
}

extension Trait where Self == _DependenciesTrait {
  /// Gives each test, and each case of a parameterized test, its own dependency values.
  ///
  /// On a suite, the trait applies to each test in the suite. The values are released when the test
  /// ends.
  public static var dependencies: Self {
    Self { _ in }
  }

  /// Overrides dependencies in a test, or in each test of a suite.
  ///
  /// ```swift
  /// @Test(.dependencies { $0.continuousClock = ImmediateClock() })
  /// func `a sleep on an immediate clock returns at once`() async throws {
  ///   @Dependency(\.continuousClock) var clock
  ///   try await clock.sleep(for: .seconds(3_600))
  /// }
  /// ```
  ///
  /// A test's trait takes precedence over its suite's, and an inner suite's over an outer suite's.
  public static func dependencies(
    _ updateValues:
      nonisolated(nonsending) @escaping @Sendable (inout DependencyValues) async throws -> Void
  ) -> Self {
    Self(updateValues)
  }

  /// Overrides a dependency, or a part of a dependency, in a test or in each test of a suite.
  ///
  /// A new value is created for each test.
  public static func dependency<Value>(
    _ keyPath: any WritableKeyPath<DependencyValues, Value> & Sendable,
    _ value: @autoclosure @escaping @Sendable () throws -> Value
  ) -> Self {
    Self { $0[keyPath: keyPath] = try value() }
  }

  /// Overrides a dependency whose type is its own key, in a test or in each test of a suite.
  ///
  /// A new value is created for each test.
  public static func dependency<Value: TestDependencyKey>(
    _ value: @autoclosure @escaping @Sendable () throws -> Value
  ) -> Self where Value == Value.Value {
    Self { $0[Value.self] = try value() }
  }
}

/// Runs when the process loads this module, before any test, so users of the product need not
/// import or call anything.
@section(".init_array") @used
private let register: @convention(c) () -> Void = { registerWithFrameworks() }

private func registerWithFrameworks() {
  TestFramework.install(.swiftTesting)
  XCTestObservationCenter.shared.addTestObserver(XCTestCaseObserver())
}

extension TestFramework {
  /// The functions of Swift Testing.
  static let swiftTesting = TestFramework(
    currentTest: { Test.current.map { RunningTest($0, case: .current) } },
    recordWithoutTest: { issue in
      Issue.record(
        Comment(rawValue: issue.text), severity: issue.severity == .warning ? .warning : .error,
        sourceLocation: SourceLocation(
          fileID: "\(issue.fileID)", filePath: "\(issue.filePath)", line: Int(issue.line),
          column: Int(issue.column)))
    })
}

extension RunningTest {
  init(_ test: Test, case testCase: Test.Case?) {
    let location = test.sourceLocation
    self.init(
      name: test.name, fileID: location.fileID, line: location.line, column: location.column,
      arguments: testCase.flatMap(CaseIdentities.shared.identity))
  }
}

/// Reports when XCTest's cases start and end, so that each case has its own dependency values.
final class XCTestCaseObserver: NSObject, XCTestObservation {
  func testCaseWillStart(_ testCase: XCTestCase) {
    XCTestRun.caseWillStart()
  }

  func testCaseDidFinish(_ testCase: XCTestCase) {
    XCTestRun.caseDidFinish()
  }
}

/// Assigns identities to the cases of parameterized tests.
///
/// Swift Testing publishes no identifier of a case, so its description serves as the identifier. If
/// Swift Testing described two cases identically, they would share their values, unless the test
/// has the trait `.dependencies`.
final class CaseIdentities: Sendable {
  static let shared = CaseIdentities { Array(String(reflecting: $0).utf8) }

  private struct Entry {
    // Retained, so that no other case reuses the addresses that `bits` contains.
    var testCase: Test.Case
    var bits: [UInt8]
    var identity: [UInt8]
  }

  private let capacity: Int
  private let describe: @Sendable (Test.Case) -> [UInt8]
  // The latest cases are cached, because a description takes much longer than a lookup. The lock is
  // held for a search of a few entries; a removed entry is released once the lock is released.
  private let entries = Lock<[Entry]>([])

  init(capacity: Int = 16, describe: @escaping @Sendable (Test.Case) -> [UInt8]) {
    self.capacity = capacity
    self.describe = describe
  }

  /// - Returns: nil for the only case of a test without parameters.
  func identity(of testCase: Test.Case) -> [UInt8]? {
    guard testCase.isParameterized else { return nil }
    // Copies of a case have the same bits, so a known case is found without describing it again. A
    // copy that differs only in padding bits is described again.
    let bits = withUnsafeBytes(of: testCase) { Array($0) }
    if let known = entries.withLock({ $0.first { $0.bits == bits }?.identity }) { return known }
    let entry = Entry(testCase: testCase, bits: bits, identity: describe(testCase))
    _ = entries.withLock { entries in
      entries.append(entry)
      return entries.count > capacity ? entries.removeFirst() : nil
    }
    return entry.identity
  }
}
#endif
