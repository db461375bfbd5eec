#if !PointFreeDependencies
import ClientDependencies
import Testing

/// Distinguishes the cases of a parameterized test.
///
/// Swift Testing publishes no identifier of a case, so its description serves as one. If a version of Swift
/// Testing described two cases alike, they would share the values that they use, unless the test has the trait
/// `.dependencies`.
final class CaseIdentities: Sendable {
  static let shared = CaseIdentities { Array(String(reflecting: $0).utf8) }

  private struct Entry {
    // Kept, so that the memory that its bits point to is not used for another case.
    var testCase: Test.Case
    var bits: [UInt8]
    var identity: [UInt8]
  }

  private let capacity: Int
  private let describe: @Sendable (Test.Case) -> [UInt8]
  // The last cases, because a description takes much longer than finding one here. The lock is held for a walk along a
  // few entries; a removed entry is released after the lock is.
  private let entries = Lock<[Entry]>([])

  init(capacity: Int = 16, describe: @escaping @Sendable (Test.Case) -> [UInt8]) {
    self.capacity = capacity
    self.describe = describe
  }

  /// - Returns: nil for the only case of a test.
  func identity(of testCase: Test.Case) -> [UInt8]? {
    guard testCase.isParameterized else { return nil }
    // Copies of a case have the same bits. Where only padding differs, the case is described again.
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
