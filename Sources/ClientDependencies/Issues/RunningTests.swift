#if !PointFreeDependencies
import Synchronization

/// The tests that something holds an origin of, for the issues that come without one.
final class RunningTests: Sendable {
  static let shared = RunningTests()

  private struct Entry {
    weak var suspended: SuspendedTest?
  }
  // Held for one look-up or change of the dictionary. No reference is released meanwhile, because
  // that could end a test's objects, which might come back here.
  private let entries = Lock<[ObjectIdentifier: Entry]>([:])
  private let hasSeenOne = Atomic(false)

  func add(_ suspended: SuspendedTest) {
    hasSeenOne.store(true, ordering: .relaxed)
    entries.withLock { $0[ObjectIdentifier(suspended)] = Entry(suspended: suspended) }
  }

  /// Called when an origin ends.
  func remove(_ id: ObjectIdentifier) {
    _ = entries.withLock { $0.removeValue(forKey: id) }
  }

  /// One origin of each test that something holds one of.
  ///
  /// A running test that uses no dependencies is not among them, and a test that has ended is while
  /// something keeps its origin.
  var alive: [SuspendedTest] {
    let all = entries.withLock { $0.values.map(\.suspended) }
    return Array(
      Dictionary(all.compactMap { $0.map { ($0.test, $0) } }) { first, _ in first }.values)
  }

  /// Whether any test of Swift Testing was seen in this process.
  var haveBeenSeen: Bool { hasSeenOne.load(ordering: .relaxed) }
}
#endif
