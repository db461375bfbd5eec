#if !PointFreeDependencies
/// The cached values: one for each key and context; in test processes, each test has its own
/// values.
///
/// A value is created once. No lock is held during construction, because a construction may read
/// other values, even on other threads. Readers of the same value wait for the construction; see
/// `PendingValue` for the exceptions.
final class ValueCache: Sendable {
  /// The cache of scopes without their own cache; it lasts as long as the process.
  static let ofProcess = ValueCache()

  private let separatesTests: Bool
  /// The time limit for waiting for another construction of the same value.
  private let constructionTimeout: Duration
  // The lock is held for a lookup or an insertion. Outside test processes, only the entry for nil
  // exists.
  private let values = Lock<[RunningTest?: ValuesOfTest]>([:])

  /// Creates a cache; if `separatesTests` is true, each test has its own values.
  init(separatesTests: Bool = isTesting, constructionTimeout: Duration = .seconds(30)) {
    self.separatesTests = separatesTests
    self.constructionTimeout = constructionTimeout
  }

  /// - Parameters:
  ///   - key: the key of the dependency.
  ///   - context: the context of the scope; nil for the prepared context, or else the context of
  ///     the process.
  ///   - origin: the origin of the reader, used outside a running test.
  ///   - purpose: the purpose of the read, used if the read creates the value; the value is cached
  ///     in any case.
  ///   - location: the line that reads the value.
  func value<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext?, for origin: IssueOrigin = IssueOrigin(),
    purpose: DependencyValues.Purpose = .use, readAt location: SourceLocation
  ) -> CachedValue<Key.Value> {
    while true {
      // Almost every read finds the value here, and locks the values only once.
      if let value = find(key, in: context, for: origin) { return value }
      let context = context ?? preparedContext(for: origin) ?? .ofProcess
      let slot = PendingValue.Slot(
        cache: ObjectIdentifier(self), test: test(of: origin), key: ObjectIdentifier(key),
        context: context)
      let made = PendingValue.perform(in: slot, timeout: constructionTimeout) {
        // Another thread may have created the value in the meantime.
        find(key, in: context, for: origin)
          ?? make(key, in: context, for: origin, purpose: purpose, readAt: location)
      } onTimeout: {
        origin.or(.current).reportIssue(
          """
          The value of '\(key)' is made a second time: another thread has been making it for \
          \(constructionTimeout), and may be waiting for this one. Make the value without \
          waiting for other threads.
          """, at: location)
      }
      if let made { return made }
    }
  }

  private func find<Key: TestDependencyKey>(
    _ key: Key.Type, in context: DependencyContext?, for origin: IssueOrigin
  ) -> CachedValue<Key.Value>? {
    let test = test(of: origin)
    let entry = values.withLock { values -> (any CacheEntry)? in
      guard let values = values[test] else { return nil }
      return values.entries[ValuesOfTest.Place(key, context ?? values.context ?? .ofProcess)]
    }
    return entry as? CachedValue<Key.Value>
  }

  private func make<Key: TestDependencyKey>(
    _ key: Key.Type, in context: DependencyContext, for origin: IssueOrigin,
    purpose: DependencyValues.Purpose, readAt location: SourceLocation
  ) -> CachedValue<Key.Value> {
    // If no test is running here, the new value belongs to the reader's test.
    let made = IssueOrigin.ofEscapedScope.or(origin).withScope {
      Construction.value(of: key, in: context, for: purpose, readAt: location)
    }
    guard made.isKept else { return made.value }
    changeValues(for: origin) { $0.insert(made.value, at: ValuesOfTest.Place(key, context)) }
    // Another thread's value may have been stored first.
    return find(key, in: context, for: origin) ?? made.value
  }

  /// Accesses the cached values of the running test, or else of the test that `origin` belongs to.
  ///
  /// `change` must not run user code.
  private func changeValues<Result>(
    for origin: IssueOrigin, _ change: (inout ValuesOfTest) -> sending Result
  ) -> sending Result {
    let test = test(of: origin)
    return values.withLock { change(&$0[test, default: ValuesOfTest()]) }
  }

  /// Returns the context that was prepared for the current test, or outside tests for the process.
  func preparedContext(for origin: IssueOrigin) -> DependencyContext? {
    let test = test(of: origin)
    return values.withLock { $0[test]?.context }
  }

  /// Releases the values of an ended test.
  func removeValues(of test: RunningTest?) {
    // The values are released once the lock is released, because their `deinit` may read other
    // values.
    _ = values.withLock { $0.removeValue(forKey: test) }
  }

  /// Returns the running test, or else the test that `origin` belongs to.
  private func test(of origin: IssueOrigin) -> RunningTest? {
    separatesTests ? .current ?? origin.test : nil
  }
}

extension ValueCache {
  /// Stores a prepared value for a context.
  ///
  /// In previews, the new value replaces any earlier value, because previews run repeatedly in one
  /// process.
  ///
  /// - Returns: the source of the earlier value that was kept; nil if the new value was stored.
  func prepare<Key: TestDependencyKey>(
    _ key: Key.Type, _ value: Key.Value, in context: DependencyContext, by preparation: Preparation,
    for origin: IssueOrigin
  ) -> CachedValueSource? {
    let new = CachedValue(value, source: .preparation(preparation))
    let place = ValuesOfTest.Place(key, context)
    // The old value is released once the lock is released, because its `deinit` may read other
    // values.
    var replaced: (any CacheEntry)?
    let obstacle = changeValues(for: origin) { values -> CachedValueSource? in
      if let earlier = values.entries[place]?.source,
        !Self.canReplace(earlier, in: context, by: preparation)
      {
        return earlier
      }
      replaced = values.put(new, at: place)
      return nil
    }
    return withExtendedLifetime(replaced) { obstacle }
  }

  /// Changes the context for values that are created later.
  ///
  /// - Returns: the source of the value that prevents the change; nil if the context has changed.
  func prepare(
    _ context: DependencyContext, by preparation: Preparation, for origin: IssueOrigin
  ) -> CachedValueSource? {
    changeValues(for: origin) { $0.prepare(context, in: preparation) }
  }

  /// Returns the value to change in part: the cached value, or else a new value, which is not
  /// stored in the cache.
  func valueToPrepare<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext, for origin: IssueOrigin,
    readAt location: SourceLocation
  ) -> CachedValue<Key.Value> {
    find(key, in: context, for: origin)
      ?? Construction.value(of: key, in: context, for: .update, readAt: location).value
  }

  private static func canReplace(
    _ source: CachedValueSource, in context: DependencyContext, by preparation: Preparation
  ) -> Bool {
    if DependencyContext.isOfPreviews || context == .preview { return true }
    guard case .preparation(let earlier) = source else { return false }
    return earlier === preparation
  }
}

/// A cached value of any type.
protocol CacheEntry: Sendable {
  var source: CachedValueSource { get }
}

/// A dependency key's cached value in one context.
final class CachedValue<Value: Sendable>: CacheEntry {
  let value: Value
  /// The kind of value that the key does not provide; nil if the key provides all values.
  let gap: MissingValueKind?
  let source: CachedValueSource

  init(_ value: Value, gap: MissingValueKind? = nil, source: CachedValueSource) {
    self.value = value
    self.gap = gap
    self.source = source
  }
}

/// How a value entered the cache: by its first read, or by `prepareDependencies`.
enum CachedValueSource: Sendable {
  case context(firstReadAt: SourceLocation)
  case preparation(Preparation)
}

/// The cached values of contexts, for code that resets them during a test.
///
/// Most tests do not need this: with ClientDependenciesTestSupport, each test has its own values.
@_spi(Internals)
public struct CachedValues: Sendable {
  let cache: ValueCache

  /// Releases the values of the running test, so that the next read creates new values.
  ///
  /// Other tests keep their values. Outside test processes, this does nothing.
  ///
  /// Thread safety: any thread may call this, and the `deinit` of a value may read other values.
  public func resetCache() {
    if isTesting { cache.removeValues(of: .current) }
  }
}

extension DependencyValues {
  /// The cached values of the tests that use these dependencies.
  @_spi(Internals)
  public var cachedValues: CachedValues { CachedValues(cache: scope.cache) }
}
#endif
