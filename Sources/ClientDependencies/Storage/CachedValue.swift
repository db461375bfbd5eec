import Synchronization

/// A value in the cache, filed under its key; see `CachedValue`.
@usableFromInline
class CacheEntry: @unchecked Sendable {  // Right, because its only mutable part is the atomic link.
  final let key: ObjectIdentifier
  /// What the key lacked.
  @usableFromInline final let gap: Gap?
  /// The next entry of the table's bucket.
  final let next = Atomic<Unmanaged<CacheEntry>?>(nil)

  init(key: ObjectIdentifier, gap: Gap?) {
    self.key = key
    self.gap = gap
  }
}

/// What a context gave for a key, and what it lacked.
@usableFromInline
final class CachedValue<Value: Sendable>: CacheEntry, @unchecked Sendable {  // See `CacheEntry`.
  @usableFromInline let value: Value

  init(_ value: Value, key: ObjectIdentifier, gap: Gap?) {
    self.value = value
    super.init(key: key, gap: gap)
  }
}
