#if !PointFreeDependencies
/// The overrides, the cache, and the context of a scope.
struct DependencyScope: Sendable {
  /// The overrides, each key once.
  ///
  /// Scopes have few overrides, so an array is faster than a dictionary.
  private var overrides: [Override] = []
  private var ownCache: ValueCache?
  /// The context that this scope or an outer scope sets; nil if none does.
  var context: DependencyContext?
  /// The test that created the wrapper being read, or else the test of the wrapper's scope.
  private(set) var origin = IssueOrigin()

  private struct Override: Sendable {
    let key: ObjectIdentifier
    var value: any Sendable
    /// Whether the override belongs to the scope of the first reader of a value under construction;
    /// see `forConstruction`.
    var isOfReader = false
  }

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

  /// Returns the override of a key; nil without an override.
  func value<Key: TestDependencyKey>(of key: Key.Type) -> Key.Value? {
    guard let index = index(of: ObjectIdentifier(key)) else { return nil }
    return overrides[index].value as? Key.Value
  }

  mutating func override<Key: TestDependencyKey>(_ key: Key.Type, with value: Key.Value) {
    let new = Override(key: ObjectIdentifier(key), value: value)
    if let index = index(of: new.key) { overrides[index] = new } else { overrides.append(new) }
  }

  /// Adds the overrides, the cache, and the context that this scope lacks from another scope.
  ///
  /// The test of `other`, if it has one, replaces this scope's test.
  ///
  /// - Returns: whether this scope changed. Outside tests, it usually does not, because most
  ///   `@Dependency` wrappers are read in the scope in which they were created.
  mutating func merge(over other: DependencyScope) -> Bool {
    var hasChanged = false
    for override in other.overrides where index(of: override.key) == nil {
      overrides.append(override)
      hasChanged = true
    }
    if ownCache == nil, let cache = other.ownCache {
      ownCache = cache
      hasChanged = true
    }
    if context == nil, let outer = other.context {
      context = outer
      hasChanged = true
    }
    if other.origin.test != nil {
      origin = other.origin
      hasChanged = true
    }
    return hasChanged
  }

  private func index(of key: ObjectIdentifier) -> Int? {
    for index in overrides.indices where overrides[index].key == key { return index }
    return nil
  }
}

extension DependencyScope {
  /// The scope that a wrapper captures; in a test process, it includes the test.
  ///
  /// During a construction, the scope lacks the overrides of the value's first reader, but has the
  /// overrides that the construction itself sets.
  var captured: DependencyScope {
    var captured = self
    if overrides.contains(where: \.isOfReader) { captured.overrides.removeAll(where: \.isOfReader) }
    if isTesting { captured.origin = .ofWrapper.or(origin) }
    return captured
  }

  /// The scope for constructing a value that is shared by all readers.
  ///
  /// The construction reads the first reader's overrides, but wrappers created during the
  /// construction do not capture these overrides.
  var forConstruction: DependencyScope {
    var scope = self
    for index in overrides.indices { scope.overrides[index].isOfReader = true }
    return scope
  }
}

/// The scopes of objects that `withDependencies` returned.
///
/// They are stored for the whole process. The scopes of released objects are removed when later
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
      // The object keeps its own scope, so store nothing; only remove scopes of released objects.
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
/// Nothing reports the release of an object, so each insertion also checks two older entries, and
/// removes an entry whose object was released.
final class WeakScopeTable: Sendable {
  private struct Entry {
    weak var object: AnyObject?
    var scope: DependencyScope
  }
  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var order: [ObjectIdentifier] = []
    var next = 0
    /// The references to release after the lock, because a `deinit` could use this table.
    var leftovers: [Any] = []
  }
  // The lock is held for one lookup or insertion.
  private let state = Lock(State())

  /// Stores the scope of an object, unless one is stored already.
  ///
  /// Nested operations return the object from the innermost operation outward. The first scope is
  /// therefore the innermost, which has the most overrides.
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

  /// Removes the scopes of some released objects.
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
