import Synchronization

/// A hash table that only grows, so that readers need no lock and count no references: each bucket
/// is a list whose end is set once.
///
/// Whoever makes one destroys it.
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
    var earlier = publish(new, at: buckets[bucket(new.key)])
    while let entry = earlier?.takeUnretainedValue() {
      if entry.key == new.key { return entry }
      earlier = publish(new, at: entry.next)
    }
    return new
  }

  /// Sets a link and keeps the entry, unless the link is set.
  ///
  /// - Returns: the entry that the link led to before.
  private func publish(_ new: CacheEntry, at link: borrowing Link) -> Unmanaged<CacheEntry>? {
    let entry = Unmanaged.passRetained(new)
    let (isSet, earlier) = link.compareExchange(
      expected: nil, desired: entry, ordering: .acquiringAndReleasing)
    if !isSet { entry.release() }
    return earlier
  }

  private func bucket(_ key: ObjectIdentifier) -> Int {
    // The lowest bits of an address say little.
    Int((UInt(bitPattern: key) >> 4) % UInt(Self.count))
  }
}
