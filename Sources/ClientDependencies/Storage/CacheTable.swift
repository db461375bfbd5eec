#if !PointFreeDependencies
import Synchronization

/// A hash table that only grows, so that readers need no lock and count no references: each bucket
/// is a list that gets longer at its end, or at its front where an entry takes another's place.
///
/// Its owner destroys it.
struct CacheTable: @unchecked Sendable {
  // `@unchecked` is right, because a link is atomic and an entry that was published never changes.
  private typealias Link = Atomic<Unmanaged<CacheEntry>?>

  private static let count = 128
  private let buckets: UnsafeMutablePointer<Link>

  init() {
    buckets = .allocate(capacity: Self.count)
    for index in 0..<Self.count { (buckets + index).initialize(to: Link(nil)) }
  }

  func destroy() {
    for index in 0..<Self.count {
      var next = buckets[index].load(ordering: .acquiring)
      while let entry = next {
        next = entry._withUnsafeGuaranteedRef { $0.next.load(ordering: .acquiring) }
        entry.release()
      }
    }
    buckets.deinitialize(count: Self.count).deallocate()
  }

  /// The entry of a key, which lives as long as the table.
  func find(_ key: ObjectIdentifier) -> Unmanaged<CacheEntry>? {
    var next = buckets[bucket(key)].load(ordering: .acquiring)
    while let entry = next {
      if entry._withUnsafeGuaranteedRef({ $0.key == key }) { return entry }
      next = entry._withUnsafeGuaranteedRef { $0.next.load(ordering: .acquiring) }
    }
    return nil
  }

  /// Adds an entry, unless its key has one already.
  ///
  /// - Returns: the entry that the key has now.
  func insert(_ new: CacheEntry) -> CacheEntry {
    var earlier = exchange(nil, for: new, at: buckets[bucket(new.key)]).original
    while let entry = earlier?.takeUnretainedValue() {
      if entry.key == new.key { return entry }
      earlier = exchange(nil, for: new, at: entry.next).original
    }
    return new
  }

  /// Puts an entry before the others, so that it is found in place of its key's earlier one; that
  /// one is kept, because a reader may have it in hand.
  ///
  /// - Returns: the earlier entry, where it does not give way and nothing changes.
  func put(_ new: CacheEntry, replacing givesWay: (CacheEntry) -> Bool) -> CacheEntry? {
    let head = buckets + bucket(new.key)
    while true {
      let first = head.pointee.load(ordering: .acquiring)
      if let earlier = find(new.key)?.takeUnretainedValue(), !givesWay(earlier) { return earlier }
      new.next.store(first, ordering: .relaxed)
      if exchange(first, for: new, at: head.pointee).exchanged { return nil }
    }
  }

  /// Lets a link lead to an entry and keeps that, unless the link leads elsewhere than expected.
  private func exchange(
    _ expected: Unmanaged<CacheEntry>?, for new: CacheEntry, at link: borrowing Link
  ) -> (exchanged: Bool, original: Unmanaged<CacheEntry>?) {
    let entry = Unmanaged.passRetained(new)
    let result = link.compareExchange(
      expected: expected, desired: entry, ordering: .acquiringAndReleasing)
    if !result.exchanged { entry.release() }
    return result
  }

  private func bucket(_ key: ObjectIdentifier) -> Int {
    // The lowest bits of an address say little.
    Int((UInt(bitPattern: key) >> 4) % UInt(Self.count))
  }
}
#endif
