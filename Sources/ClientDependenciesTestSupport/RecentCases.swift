#if !PointFreeDependencies
import ClientDependencies
import Testing

/// The identities of the cases that were asked for last, because reflection takes much
/// longer than finding one here.
final class RecentCases: Sendable {
  private struct Entry {
    // Kept, so that what its bits point to cannot become something else.
    var testCase: Test.Case
    var bits: [UInt8]
    var identity: [UInt8]
  }

  private let capacity: Int
  // Held for a walk along a few entries; what falls out is released after the lock is.
  private let entries = Lock<[Entry]>([])

  init(capacity: Int = 16) {
    self.capacity = capacity
  }

  /// The identity of a case, made only where the case is not among the last ones.
  ///
  /// Copies of a case have the same bits. Where padding differs, it is taken for another case and
  /// made anew.
  func identity(of testCase: Test.Case, make: (Test.Case) -> [UInt8]) -> [UInt8] {
    let bits = withUnsafeBytes(of: testCase) { Array($0) }
    if let known = entries.withLock({ $0.first { $0.bits == bits }?.identity }) { return known }
    let entry = Entry(testCase: testCase, bits: bits, identity: make(testCase))
    _ = entries.withLock { entries in
      entries.append(entry)
      return entries.count > capacity ? entries.removeFirst() : nil
    }
    return entry.identity
  }
}
#endif
