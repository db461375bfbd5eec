#if !PointFreeDependencies
import Synchronization

/// The run of XCTest's cases, as an observer tells of it.
package enum XCTestRun {
  // The number of the case that is running; between two cases, that of the last one with a minus.
  // Only the thread that runs the cases writes it.
  private static let number = Atomic(0)

  /// The case that is running, if XCTest runs and an observer tells of it.
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
