import Synchronization

/// Whether a file gave any audio at all; noted where it is read, looked at when it has ended.
final class HeardAudio: Sendable {
  private let hasHeard = Atomic<Bool>(false)

  var isAny: Bool { hasHeard.load(ordering: .acquiring) }

  func note() {
    hasHeard.store(true, ordering: .releasing)
  }
}
