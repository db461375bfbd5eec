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
    // What the maker looks at next must not be read before the wish can be seen.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  /// Whether there is a wish to fulfil; it is taken back with that.
  public func take() -> Bool {
    // What the taker has done must be seen by a maker whose wish it does not see.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return isMade.exchange(false, ordering: .sequentiallyConsistent)
  }
}
