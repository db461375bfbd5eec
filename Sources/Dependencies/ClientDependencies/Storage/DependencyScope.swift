#if !PointFreeDependencies
/// The overrides of a scope with its cache and context.
struct DependencyScope: Sendable {
  private var overrides: [ObjectIdentifier: any Sendable] = [:]
  /// The keys whose overrides come from a value's first reader; see `forConstruction`.
  private var keysOfReader: Set<ObjectIdentifier> = []
  private var ownCache: ValueCache?
  /// The context that is set by this scope or an outer scope.
  var context: DependencyContext?
  /// The test in which the reading wrapper was created, or else the test of its scope.
  private(set) var origin = IssueOrigin()

  /// A scope without overrides.
  ///
  /// - Parameter cache: the cache for its context values; nil for the cache of the process.
  init(cache: ValueCache? = nil) {
    ownCache = cache
  }

  /// The cache for the scope's context values.
  var cache: ValueCache {
    get { ownCache ?? .ofProcess }
    set { ownCache = newValue }
  }

  /// Whether the scope has no overrides and no test.
  var isEmpty: Bool {
    overrides.isEmpty && ownCache == nil && context == nil && origin.test == nil
  }

  /// Returns the override of a key; nil without an override.
  func value<Key: TestDependencyKey>(of key: Key.Type) -> Key.Value? {
    (overrides[ObjectIdentifier(key)] as? Override<Key.Value>)?.value
  }

  mutating func override<Key: TestDependencyKey>(_ key: Key.Type, with value: Key.Value) {
    overrides[ObjectIdentifier(key)] = Override(value: value)
    keysOfReader.remove(ObjectIdentifier(key))
  }

  /// Merges this scope's overrides over those of another scope; the result has the other scope's
  /// test.
  func merged(over other: DependencyScope) -> DependencyScope {
    if other.isEmpty { return self }
    if isEmpty { return other }
    var merged = self
    // A wrapper is usually read in the scope in which it was created; this loop then copies
    // nothing.
    for (key, value) in other.overrides where overrides[key] == nil {
      merged.overrides[key] = value
      if other.keysOfReader.contains(key) { merged.keysOfReader.insert(key) }
    }
    merged.ownCache = ownCache ?? other.ownCache
    merged.context = context ?? other.context
    merged.origin = other.origin.or(origin)
    return merged
  }
}

extension DependencyScope {
  /// The scope that a wrapper captures; in a test process, it includes the test.
  ///
  /// During a construction, it lacks the overrides of the value's first reader, but keeps overrides
  /// set by the construction itself.
  var captured: DependencyScope {
    var captured = self
    if !keysOfReader.isEmpty {
      captured.overrides = overrides.filter { !keysOfReader.contains($0.key) }
      captured.keysOfReader = []
    }
    if isTesting { captured.origin = .ofWrapper.or(origin) }
    return captured
  }

  /// The scope for constructing a value that is shared by all readers.
  ///
  /// The construction reads the overrides of the first reader, but wrappers created in it do not
  /// capture them.
  var forConstruction: DependencyScope {
    var scope = self
    scope.keysOfReader = Set(overrides.keys)
    return scope
  }
}

/// The value of an override.
///
/// Casting the value itself would confuse an optional value of nil with a missing override.
private struct Override<Value: Sendable>: Sendable {
  let value: Value
}

/// The scopes of objects that `withDependencies` returned.
///
/// They are stored for the whole process. The scopes of ended objects are removed when later
/// objects are added. An object with a `@Dependency` also holds its own scope.
enum ObjectScopes {
  private static let remembered = WeakScopeTable()

  /// Stores the scope of `result` if it is an object.
  static func remember<Result>(_ result: Result, madeIn values: DependencyValues) {
    // The size is compared first, because it excludes most results without a type lookup.
    guard MemoryLayout<Result>.size == MemoryLayout<AnyObject>.size, Result.self is AnyObject.Type
    else { return }
    let object = result as AnyObject
    if capturedScope(in: Mirror(reflecting: object)) == nil {
      remembered.remember(object, madeIn: values.scope)
    } else {
      // The object keeps its own scope, so store nothing; only remove the scopes of ended objects.
      remembered.sweep()
    }
  }

  /// Returns the scope of an object: the scope of its first `@Dependency`, or else the stored
  /// scope.
  static func scope(of model: AnyObject) -> DependencyScope? {
    capturedScope(in: Mirror(reflecting: model)) ?? remembered.scope(of: model)
  }

  private static func capturedScope(in mirror: Mirror?) -> DependencyScope? {
    guard let mirror else { return nil }
    for case let (_, wrapper as any ScopeCapturing) in mirror.children {
      return wrapper.captured
    }
    return capturedScope(in: mirror.superclassMirror)
  }
}

/// The scopes of live objects, by weak reference.
///
/// Nothing reports the end of an object, so each insertion also checks two older entries and
/// removes those of ended objects.
final class WeakScopeTable: Sendable {
  private struct Entry {
    weak var object: AnyObject?
    var scope: DependencyScope
  }
  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var order: [ObjectIdentifier] = []
    var next = 0
    /// The references to release after the lock, because the `deinit` of an object could call back.
    var leftovers: [Any] = []
  }
  // The lock is held for one lookup or insertion.
  private let state = Lock(State())

  /// Stores the first scope of an object and ignores later scopes, because outer scopes have fewer
  /// overrides.
  func remember(_ object: AnyObject, madeIn scope: DependencyScope) {
    change { state in
      let id = ObjectIdentifier(object)
      let earlier = state.entries[id]
      if earlier == nil { state.order.append(id) }
      if earlier?.object == nil { state.entries[id] = Entry(object: object, scope: scope) }
      state.leftovers.append(earlier as Any)
      Self.sweep(&state)
    }
  }

  /// Removes the scopes of some ended objects.
  func sweep() {
    change(Self.sweep)
  }

  func scope(of object: AnyObject) -> DependencyScope? {
    state.withLock { state in
      let entry = state.entries[ObjectIdentifier(object)]
      return entry?.object === object ? entry?.scope : nil
    }
  }

  private func change(_ body: (inout State) -> Void) {
    _ = state.withLock { state in
      body(&state)
      defer { state.leftovers = [] }
      return UncheckedSendable(state.leftovers)
    }
  }

  private static func sweep(_ state: inout State) {
    for _ in 0..<min(2, state.order.count) {
      if state.next >= state.order.count { state.next = 0 }
      let id = state.order[state.next]
      if let object = state.entries[id]?.object {
        state.leftovers.append(object)
        state.next += 1
      } else {
        state.order.swapAt(state.next, state.order.count - 1)
        state.order.removeLast()
        state.leftovers.append(state.entries.removeValue(forKey: id) as Any)
      }
    }
  }
}
#endif
