import Synchronization

/// A request of one thread to be woken by another, so that the other sends no useless wake-ups.
///
/// After `make`, the requesting thread checks its condition once more and sleeps only then.
///
/// Thread safety: both methods are atomic; the audio thread may call them.
public final class WakeUpRequest: Sendable {
  private let isMade = Atomic<Bool>(false)

  /// Creates an object without a pending request.
  public init() {}

  /// Requests a wake-up.
  public func make() {
    isMade.store(true, ordering: .sequentiallyConsistent)
    // The caller's next check must not be reordered before this store.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  /// Removes the request and returns whether there was one.
  public func take() -> Bool {
    // A caller of `make` whose request is not seen here must see the taker's earlier writes.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return isMade.exchange(false, ordering: .sequentiallyConsistent)
  }
}
