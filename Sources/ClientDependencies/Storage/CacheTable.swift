import Synchronization

/// A value in the cache, filed under its key; see `CachedValue`.
@usableFromInline
class CacheEntry: @unchecked Sendable {  // Right, because its only mutable part is the atomic link.
  let key: ObjectIdentifier
  fileprivate let next = AtomicLazyReference<CacheEntry>()

  init(key: ObjectIdentifier) {
    self.key = key
  }
}

/// What a context gave for a key, and what it lacked.
@usableFromInline
final class CachedValue<Value: Sendable>: CacheEntry, @unchecked Sendable {  // See `CacheEntry`.
  @usableFromInline let value: Value
  @usableFromInline let gap: Gap?

  init(_ value: Value, key: ObjectIdentifier, gap: Gap?) {
    self.value = value
    self.gap = gap
    super.init(key: key)
  }
}

/// A hash table that only grows, so that readers need no lock: each bucket is a list whose end is
/// set once.
final class CacheTable: Sendable {
  private final class Bucket: Sendable {
    let first = AtomicLazyReference<CacheEntry>()
  }

  private static let count = 128
  private let buckets = (0..<count).map { _ in Bucket() }

  func find(_ key: ObjectIdentifier) -> CacheEntry? {
    var entry = bucket(key).first.load()
    while let candidate = entry, candidate.key != key {
      entry = candidate.next.load()
    }
    return entry
  }

  /// Adds an entry, unless its key has one already.
  ///
  /// - Returns: the entry that the key has now.
  func insert(_ new: CacheEntry) -> CacheEntry {
    var entry = bucket(new.key).first.storeIfNil(new)
    while entry !== new, entry.key != new.key {
      entry = entry.next.storeIfNil(new)
    }
    return entry
  }

  private func bucket(_ key: ObjectIdentifier) -> Bucket {
    // The lowest bits of an address say little.
    let address = UInt(bitPattern: Int(bitPattern: key))
    return buckets[Int(truncatingIfNeeded: (address >> 4) % UInt(Self.count))]
  }
}
