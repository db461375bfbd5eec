import Synchronization

/// One run, or several in a row, that another thread can end.
///
/// Thread safety: any thread may call `terminate`, at any time and more than once. A run ends
/// between two of its operators. Moonshine's longest operator takes 50 ms for 20 s of audio.
package final class ONNXRun: Sendable {
  let options: ONNXOwner
  private let functions: ONNXFunctions
  private let flag = Atomic<Bool>(false)

  package init(in library: ONNXLibrary) throws(ONNXError) {
    functions = library.functions
    let functions = functions
    options = try functions.make(releasedBy: functions.releaseRunOptions) {
      functions.createRunOptions($0)
    }
  }

  /// Ends the current run and every later one; the corresponding C function is
  /// `RunOptionsSetTerminate`.
  package func terminate() {
    flag.store(true, ordering: .releasing)
    // The call only sets a flag and cannot fail.
    try? functions.check(functions.setTerminate(options.pointer))
  }

  /// Whether it was terminated.
  package var isTerminated: Bool { flag.load(ordering: .acquiring) }
}
