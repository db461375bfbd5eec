#if !PointFreeDependencies
import Synchronization

/// The tests that something holds an origin of, for the issues that come without one, and for the
/// wrappers of tests that have many.
final class RunningTests: Sendable {
  static let shared = RunningTests()
  /// From this number of origins on the wrappers of a test share one.
  static let manyOrigins = 32

  private struct Entry {
    var id: ObjectIdentifier
    weak var suspended: SuspendedTest?
  }
  // Held for one look-up or change of the dictionary. No reference is released meanwhile, because
  // that could end a test's objects, which might come back here.
  private let entries = Lock<[RunningTest: [Entry]]>([:])
  private let hasSeenOne = Atomic(false)

  func add(_ suspended: SuspendedTest) {
    hasSeenOne.store(true, ordering: .relaxed)
    let entry = Entry(id: ObjectIdentifier(suspended), suspended: suspended)
    entries.withLock { $0[suspended.test, default: []].append(entry) }
  }

  /// Called when an origin ends.
  func remove(_ id: ObjectIdentifier, of test: RunningTest) {
    entries.withLock { entries in
      entries[test]?.removeAll { $0.id == id }
      if entries[test]?.isEmpty == true { entries[test] = nil }
    }
  }

  /// The oldest origin of a test that has many already; nil where one more does not matter.
  ///
  /// A test that makes thousands of models has one waiting task for all of their wrappers. What the
  /// origins of one test differ in is whether they were taken where its issues are known ones.
  func origin(sharedBy test: RunningTest) -> SuspendedTest? {
    let all = entries.withLock { entries -> [SuspendedTest?] in
      guard let all = entries[test], all.count >= Self.manyOrigins else { return [] }
      return all.map(\.suspended)
    }
    // Outside the lock, which the end of an origin takes.
    return all.compactMap(\.self).first
  }

  /// One origin of each test that something holds one of.
  ///
  /// A running test that uses no dependencies is not among them, and a test that has ended is while
  /// something keeps its origin.
  var alive: [SuspendedTest] {
    // The references end outside the lock, which the end of an origin takes.
    let all = entries.withLock { $0.values.map { $0.map(\.suspended) } }
    return all.compactMap { $0.compactMap(\.self).first }
  }

  /// Whether any test of Swift Testing was seen in this process.
  var haveBeenSeen: Bool { hasSeenOne.load(ordering: .relaxed) }
}
#endif
