import Synchronization

/// A wish that one thread makes before it sleeps and another fulfils by waking it: it saves the
/// wake-ups that nobody waits for.
///
/// The one who wishes looks once more after `make`, and sleeps only then.
///
/// Thread safety: it neither allocates nor waits.
public final class Wish: Sendable {
  private let isMade = Atomic<Bool>(false)

  /// No wish.
  public init() {}

  /// Wishes to be woken.
  public func make() {
    isMade.store(true, ordering: .sequentiallyConsistent)
  }

  /// Whether there is a wish to fulfil; it is taken back with that.
  public func take() -> Bool {
    isMade.exchange(false, ordering: .sequentiallyConsistent)
  }
}
