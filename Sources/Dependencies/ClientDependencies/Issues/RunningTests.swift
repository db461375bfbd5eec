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
  // Held for one lookup or change of the dictionary. No reference is released meanwhile, because
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

/// A task that was started in a test, waits there, and reports issues with the test's task-locals
/// on whichever thread brings them.
///
/// What decides to which test an issue belongs, and whether it is a known one, are task-locals of
/// the test framework; only a task that inherited them can show them to the framework elsewhere.
final class SuspendedTest: Sendable {
  typealias Report = @Sendable () -> Void

  let test: RunningTest
  private let slot = ReportSlot()
  // One report at a time: the task takes the next one only when it waits again. Held while a report
  // runs, which reads nothing but task-locals of the waiting task. It counts them, because Thread
  // Sanitizer takes a state of no size for the field beside it.
  private let turn = Lock(0)

  /// Starts a task that inherits the task-locals of the caller, which runs in `test`.
  ///
  /// It has come to its first wait when the initializer returns. It does not keep the overrides of
  /// the caller's scope alive, which may hold objects that the test wants to see released.
  init(in test: RunningTest) {
    self.test = test
    DependencyValues.$_current.withValue(.ofProcess) {
      _ = Task(executorPreference: InlineExecutor.shared) { [slot] in
        while let report = await slot.next() { report() }
      }
    }
  }

  deinit {
    RunningTests.shared.remove(ObjectIdentifier(self), of: test)
    slot.fill(with: nil)
  }

  /// Runs a report with the task-locals of the test, and returns when that is done.
  func perform(_ report: @escaping Report) {
    turn.withLock { count in
      count += 1
      slot.fill(with: report)
    }
  }
}

/// The place where a suspended task waits for its next report.
private final class ReportSlot: Sendable {
  // Held to put a continuation there or to take it away; it is resumed after the lock is released.
  private let waiting = Lock<CheckedContinuation<SuspendedTest.Report?, Never>?>(nil)

  /// - Returns: nil when no further report will come.
  func next() async -> SuspendedTest.Report? {
    await withCheckedContinuation { continuation in
      waiting.withLock { $0 = continuation }
    }
  }

  func fill(with report: SuspendedTest.Report?) {
    let continuation = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    continuation?.resume(returning: report)
  }
}
#endif
