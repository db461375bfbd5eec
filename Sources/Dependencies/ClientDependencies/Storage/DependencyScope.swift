#if !PointFreeDependencies
/// The overrides of a scope with its cache and context.
struct DependencyScope: Sendable {
  private var overrides: [ObjectIdentifier: any Sendable] = [:]
  /// The keys whose overrides are those of a value's first reader; see `forConstruction`.
  private var keysOfReader: Set<ObjectIdentifier> = []
  private var ownCache: ValueCache?
  /// The context set by this scope or an outer one.
  var context: DependencyContext?
  /// The test in which the reading wrapper was created, or else the test of its scope.
  private(set) var origin = IssueOrigin()

  /// A scope without overrides.
  ///
  /// - Parameter cache: the cache for its context values; nil for the process's.
  init(cache: ValueCache? = nil) {
    ownCache = cache
  }

  /// The cache for the scope's context values.
  var cache: ValueCache {
    get { ownCache ?? .ofProcess }
    set { ownCache = newValue }
  }

  /// Whether the scope is that of a process without tests and overrides.
  var isEmpty: Bool {
    overrides.isEmpty && ownCache == nil && context == nil && origin.test == nil
  }

  /// The override of a key.
  func value<Key: TestDependencyKey>(of key: Key.Type) -> Key.Value? {
    (overrides[ObjectIdentifier(key)] as? Override<Key.Value>)?.value
  }

  mutating func override<Key: TestDependencyKey>(_ key: Key.Type, with value: Key.Value) {
    overrides[ObjectIdentifier(key)] = Override(value: value)
    keysOfReader.remove(ObjectIdentifier(key))
  }

  /// This scope's overrides merged over those of another scope, whose test the result has.
  func merged(over other: DependencyScope) -> DependencyScope {
    if other.isEmpty { return self }
    if isEmpty { return other }
    var merged = self
    merged.overrides.merge(other.overrides) { mine, _ in mine }
    merged.keysOfReader.formUnion(other.keysOfReader.filter { overrides[$0] == nil })
    merged.ownCache = ownCache ?? other.ownCache
    merged.context = context ?? other.context
    merged.origin = other.origin.or(origin)
    return merged
  }
}

extension DependencyScope {
  /// The scope for a wrapper to capture, with the test in a test process.
  ///
  /// It lacks the overrides of a value's first reader, if a construction reads this scope.
  /// Overrides that the construction itself has set stay.
  var captured: DependencyScope {
    var captured = self
    if !keysOfReader.isEmpty {
      captured.overrides = overrides.filter { !keysOfReader.contains($0.key) }
      captured.keysOfReader = []
    }
    if isTesting { captured.origin = .ofWrapper.or(origin) }
    return captured
  }

  /// The scope for the construction of a value that all readers get.
  ///
  /// The construction reads the overrides of the first reader, but no wrapper captures them there.
  var forConstruction: DependencyScope {
    var scope = self
    scope.keysOfReader = Set(overrides.keys)
    return scope
  }
}

/// The value of an override.
///
/// A cast of the value itself would confuse an optional value that is nil with none.
private struct Override<Value: Sendable>: Sendable {
  let value: Value
}
#endif
