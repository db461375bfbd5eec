#if !PointFreeDependencies
import Synchronization

/// A value in the cache, filed under its key; see `CachedValue`.
@usableFromInline
class CacheEntry: @unchecked Sendable {  // Right, because its only mutable part is the atomic link.
  final let key: ObjectIdentifier
  /// What the key lacked.
  @usableFromInline final let gap: Gap?
  final let source: Source
  /// The next entry of the table's bucket.
  final let next = Atomic<Unmanaged<CacheEntry>?>(nil)

  /// How the value came into the cache.
  enum Source: Sendable {
    case context(firstReadAt: SourceLocation)
    case preparation(Preparation)
  }

  init(key: ObjectIdentifier, gap: Gap?, source: Source) {
    self.key = key
    self.gap = gap
    self.source = source
  }
}

/// What a context gave for a key, and what it lacked.
@usableFromInline
final class CachedValue<Value: Sendable>: CacheEntry, @unchecked Sendable {  // See `CacheEntry`.
  @usableFromInline let value: Value

  init(_ value: Value, key: ObjectIdentifier, gap: Gap? = nil, source: Source) {
    self.value = value
    super.init(key: key, gap: gap, source: source)
  }
}
#endif
