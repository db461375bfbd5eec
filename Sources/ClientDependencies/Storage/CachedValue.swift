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

/// The values that contexts gave so far, for code that has to forget them in the middle of a test.
///
/// Most tests need not: with ClientDependenciesTestSupport each one has values of its own.
@_spi(Internals)
public struct CachedValues: Sendable {
  let cache: ValueCache

  /// Releases the values that the running test was given, so that the next read makes them anew.
  ///
  /// Other tests keep theirs; outside test processes values live as long as the process.
  ///
  /// Thread safety: it may be called on any thread, and the values it releases may read others.
  public func resetCache() {
    cache.removeValues(of: .current)
  }
}

extension DependencyValues {
  /// What the contexts gave to the tests that use these dependencies.
  @_spi(Internals)
  public var cachedValues: CachedValues { CachedValues(cache: scope.cache) }
}

/// A context that one thread may change while others read it.
struct ContextCell: ~Copyable, Sendable {
  private let number: Atomic<UInt8>

  init(_ context: DependencyContext) {
    number = Atomic(Self.number(of: context))
  }

  var context: DependencyContext {
    switch number.load(ordering: .relaxed) {
    case 0: .live
    case 1: .preview
    default: .test
    }
  }

  func change(to context: DependencyContext) {
    number.store(Self.number(of: context), ordering: .relaxed)
  }

  private static func number(of context: DependencyContext) -> UInt8 {
    switch context {
    case .live: 0
    case .preview: 1
    case .test: 2
    }
  }
}
#endif
