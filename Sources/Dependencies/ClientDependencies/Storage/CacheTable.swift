#if !PointFreeDependencies
import Synchronization

/// A hash table that only grows, so that readers need no locks and no reference counting.
///
/// Each bucket is a list that grows at its end, or at its front to replace an entry. The owner
/// calls `destroy`.
struct CacheTable: @unchecked Sendable {
  // `@unchecked` is right, because links are atomic and published entries never change.
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

  /// The entry of a key.
  ///
  /// It lives as long as the table.
  func find(_ key: ObjectIdentifier) -> Unmanaged<CacheEntry>? {
    var next = buckets[bucket(key)].load(ordering: .acquiring)
    while let entry = next {
      if entry._withUnsafeGuaranteedRef({ $0.key == key }) { return entry }
      next = entry._withUnsafeGuaranteedRef { $0.next.load(ordering: .acquiring) }
    }
    return nil
  }

  /// Adds an entry unless its key has one.
  ///
  /// - Returns: the key's entry.
  func insert(_ new: CacheEntry) -> CacheEntry {
    var earlier = exchange(nil, for: new, at: buckets[bucket(new.key)]).original
    while let entry = earlier?.takeUnretainedValue() {
      if entry.key == new.key { return entry }
      earlier = exchange(nil, for: new, at: entry.next).original
    }
    return new
  }

  /// Replaces the key's entry by inserting at the front.
  ///
  /// The earlier entry stays alive, because a reader may use it.
  ///
  /// - Returns: the earlier entry if it cannot be replaced; then nothing changes.
  func put(_ new: CacheEntry, replacing canReplace: (CacheEntry) -> Bool) -> CacheEntry? {
    let head = buckets + bucket(new.key)
    while true {
      let first = head.pointee.load(ordering: .acquiring)
      if let earlier = find(new.key)?.takeUnretainedValue(), !canReplace(earlier) { return earlier }
      new.next.store(first, ordering: .relaxed)
      if exchange(first, for: new, at: head.pointee).exchanged { return nil }
    }
  }

  /// Sets a link to an entry and retains the entry, unless the link has another value than
  /// expected.
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
    // The lowest bits of addresses are mostly 0.
    Int((UInt(bitPattern: key) >> 4) % UInt(Self.count))
  }
}

/// An entry of the cache; see `CachedValue`.
@usableFromInline
class CacheEntry: @unchecked Sendable {  // Right, because its only mutable part is the atomic link.
  final let key: ObjectIdentifier
  /// The value that the key lacks.
  @usableFromInline final let gap: MissingValueKind?
  final let source: Source
  /// The next entry of the table's bucket.
  final let next = Atomic<Unmanaged<CacheEntry>?>(nil)

  /// The origin of a cached value.
  enum Source: Sendable {
    case context(firstReadAt: SourceLocation)
    case preparation(Preparation)
  }

  init(key: ObjectIdentifier, gap: MissingValueKind?, source: Source) {
    self.key = key
    self.gap = gap
    self.source = source
  }
}

/// The value of a context for a key.
@usableFromInline
final class CachedValue<Value: Sendable>: CacheEntry, @unchecked Sendable {  // See `CacheEntry`.
  @usableFromInline let value: Value

  init(_ value: Value, key: ObjectIdentifier, gap: MissingValueKind? = nil, source: Source) {
    self.value = value
    super.init(key: key, gap: gap, source: source)
  }
}

/// The cached values of contexts, for code that resets them during a test.
///
/// Most tests do not need this: with ClientDependenciesTestSupport, each test has its own values.
@_spi(Internals)
public struct CachedValues: Sendable {
  let cache: ValueCache

  /// Releases the values of the running test, so that the next read makes new ones.
  ///
  /// Other tests keep their values. Outside test processes, this does nothing.
  ///
  /// Thread safety: any thread may call this, and the `deinit` of a value may read others.
  public func resetCache() {
    cache.removeValues(of: .current)
  }
}

extension DependencyValues {
  /// The cached values of the tests that use these dependencies.
  @_spi(Internals)
  public var cachedValues: CachedValues { CachedValues(cache: scope.cache) }
}
#endif
