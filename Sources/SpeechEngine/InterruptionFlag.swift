import Synchronization

/// Whether a session was interrupted, for an engine that asks between short steps of its work.
///
/// Thread safety: any thread may call it, at any time.
package final class InterruptionFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  package init() {}

  /// Interrupts the session for good.
  package func interrupt() { flag.store(true, ordering: .releasing) }

  /// - Throws: `.interrupted` once the session was.
  package func check() throws(SpeechEngineError) {
    if flag.load(ordering: .acquiring) { throw .interrupted }
  }
}
