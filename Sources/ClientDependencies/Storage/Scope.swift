#if !PointFreeDependencies
/// The overrides of a scope, and the cache and context that go with them.
///
/// The overrides are a list that nested scopes extend at its front and never change: one override
/// costs one allocation, reading takes no lock, and an outer scope cannot see an inner one. What
/// every read and every override passes is inlinable: in the module that knows the value's type it
/// needs no metadata at run time.
@usableFromInline
struct Scope: Sendable {
  /// Nothing where nothing was overridden, so that threads which share the process's scope share no
  /// count of references that they would wait for.
  @usableFromInline let front: ScopeNode?

  @inlinable
  init(front: ScopeNode?) {
    self.front = front
  }

  /// A scope without overrides.
  init(cache: ValueCache) {
    self.init(root: ScopeRoot(cache: cache, context: nil, index: [:], origin: IssueOrigin()))
  }

  private init(root: ScopeRoot) {
    self.init(front: root)
  }
}

extension Scope {
  /// From this length on a list is searched by an index; shorter ones are faster to walk along.
  @usableFromInline static var longestList: Int { 8 }

  /// What the scope overrides a key with.
  @inlinable
  func value<Key: TestDependencyKey>(of key: Key.Type) -> Key.Value? {
    guard let node = node(ObjectIdentifier(key)) else { return nil }
    // Right, because only `overriding` makes nodes, and it files each under the key whose value it
    // holds; the scope keeps them.
    return node._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: ScopeOverride<Key.Value>.self).value
    }
  }

  @inlinable
  func overriding<Key: TestDependencyKey>(_ key: Key.Type, with value: Key.Value) -> Scope {
    let isShort = front.map { $0.depth < Self.longestList } ?? true
    let outer = isShort ? front : folded.front
    return Scope(front: ScopeOverride(value, key: ObjectIdentifier(key), outer: outer))
  }

  func inContext(_ context: DependencyContext) -> Scope {
    Scope(root: ScopeRoot(cache: keptCache, context: context, index: overrides, origin: origin))
  }

  /// Lays the scope over one that a wrapper captured, which it usually contains.
  ///
  /// - Returns: whether it is another scope now.
  @inlinable
  mutating func join(_ captured: Scope) -> Bool {
    guard captured.front != nil, captured.front !== front else { return false }
    let joined = joined(to: captured)
    defer { self = joined }
    return joined.front !== front
  }

  @usableFromInline
  func joined(to captured: Scope) -> Scope {
    guard let front else { return captured }
    guard let below = captured.front, !contains(captured) else { return self }
    if root?._withUnsafeGuaranteedRef({ $0.below == nil }) == false {
      return merged(over: captured)
    }
    return Scope(root: ScopeRoot(joining: front, to: below))
  }

  /// Whether the other scope lies below or is this one.
  private func contains(_ other: Scope) -> Bool {
    var next = front.map(Unmanaged.passUnretained)
    while let node = next {
      if node._withUnsafeGuaranteedRef({ $0 === other.front }) { return true }
      next = node._withUnsafeGuaranteedRef { $0.next }
    }
    return false
  }

  func inCache(_ cache: ValueCache) -> Scope {
    Scope(root: ScopeRoot(cache: cache, context: context, index: overrides, origin: origin))
  }

  /// The scope as a wrapper captures it: in a test process it remembers the test.
  @inlinable var captured: Scope { isTesting ? inTest : self }

  @usableFromInline var inTest: Scope {
    Scope(root: ScopeRoot(origin: .ofWrapper, front: front))
  }

  /// The test in which the wrapper was made that reads, or where that was no test's task, the one
  /// whose scope it was made in.
  var origin: IssueOrigin {
    root?._withUnsafeGuaranteedRef { $0.origin } ?? IssueOrigin()
  }

  /// This scope's overrides over those of another one, and the other's cache where this one uses
  /// the process's.
  @usableFromInline
  func merged(over other: Scope) -> Scope {
    guard front != nil else { return other }
    if other.front == nil || contains(other) { return self }
    return Scope(
      root: ScopeRoot(
        cache: keptCache ?? other.keptCache, context: context ?? other.context,
        index: overrides.merging(other.overrides) { mine, _ in mine },
        origin: other.origin.or(origin)))
  }

  /// The cache that the scope's context values are kept in.
  var cache: ValueCache { keptCache ?? .ofProcess }

  /// The cache that is not the process's; the scope keeps it.
  var ownCache: Unmanaged<ValueCache>? {
    root?._withUnsafeGuaranteedRef { $0.cache.map(Unmanaged.passUnretained) }
  }

  private var keptCache: ValueCache? { ownCache?.takeUnretainedValue() }

  /// The context that this scope or one around it chose.
  @usableFromInline var context: DependencyContext? {
    root?._withUnsafeGuaranteedRef { $0.context }
  }

  @usableFromInline var folded: Scope {
    Scope(root: ScopeRoot(cache: keptCache, context: context, index: overrides, origin: origin))
  }

  /// The override of a key, which the scope keeps.
  @inlinable
  func node(_ key: ObjectIdentifier) -> Unmanaged<ScopeNode>? {
    var next = front.map(Unmanaged.passUnretained)
    while let node = next {
      if node._withUnsafeGuaranteedRef({ $0.key == key }) { return node }
      next = node._withUnsafeGuaranteedRef { $0.next }
    }
    return root == nil ? nil : indexed(key)
  }

  @inlinable var root: Unmanaged<ScopeRoot>? { front?.root }

  @usableFromInline
  func indexed(_ key: ObjectIdentifier) -> Unmanaged<ScopeNode>? {
    root?._withUnsafeGuaranteedRef { root in
      root.index[key].map(Unmanaged.passUnretained)
        ?? root.below.flatMap { Scope(front: $0).node(key) }
    }
  }

  private var overrides: [ObjectIdentifier: ScopeNode] {
    var overrides: [ObjectIdentifier: ScopeNode] = [:]
    var node = front
    while let current = node {
      if let key = current.key, overrides[key] == nil { overrides[key] = current.alone() }
      node = current.outer
    }
    guard let root = root?.takeUnretainedValue() else { return overrides }
    overrides.merge(root.index) { inner, _ in inner }
    overrides.merge(Scope(front: root.below).overrides) { inner, _ in inner }
    return overrides
  }
}

/// A link of a scope's list: an override, or what lies below all of them.
@usableFromInline
class ScopeNode: @unchecked Sendable {  // Right, because no part of a node is a `var`.
  @usableFromInline final let key: ObjectIdentifier?
  @usableFromInline final let outer: ScopeNode?
  /// The outer node again, for readers: they walk along the list and count no references.
  @usableFromInline final let next: Unmanaged<ScopeNode>?
  @usableFromInline final let outerRoot: Unmanaged<ScopeRoot>?
  @usableFromInline final let isRoot: Bool
  @usableFromInline final let depth: Int

  @inlinable
  init(key: ObjectIdentifier, outer: ScopeNode?) {
    self.key = key
    self.outer = outer
    next = outer.map(Unmanaged.passUnretained)
    outerRoot = outer?.root
    isRoot = false
    depth = (outer?.depth ?? 0) + 1
  }

  /// Begins a list.
  fileprivate init(rootOver outer: ScopeNode?) {
    key = nil
    self.outer = outer
    next = outer.map(Unmanaged.passUnretained)
    outerRoot = nil
    isRoot = true
    depth = (outer?.depth ?? 0) + 1
  }

  /// The end of the list, where it is more than the process's scope; the list keeps it.
  @inlinable final var root: Unmanaged<ScopeRoot>? {
    isRoot ? .passUnretained(unsafeDowncast(self, to: ScopeRoot.self)) : outerRoot
  }

  /// The same override without what lies below it, for an index that outlives the list.
  func alone() -> ScopeNode { self }
}

/// One override at the front of a scope.
@usableFromInline
final class ScopeOverride<Value: Sendable>: ScopeNode, @unchecked Sendable {  // See `ScopeNode`.
  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value, key: ObjectIdentifier, outer: ScopeNode?) {
    self.value = value
    super.init(key: key, outer: outer)
  }

  override func alone() -> ScopeNode {
    guard let key, outer != nil else { return self }
    return ScopeOverride(value, key: key, outer: nil)
  }
}

/// What differs from the process's scope besides a list, usually at the list's end.
@usableFromInline
final class ScopeRoot: ScopeNode, @unchecked Sendable {  // See `ScopeNode`.
  let cache: ValueCache?
  let context: DependencyContext?
  /// The overrides of a list that has grown long.
  let index: [ObjectIdentifier: ScopeNode]
  /// What is searched last.
  let below: ScopeNode?
  /// The test in which the wrapper was made that captured the scope.
  let origin: IssueOrigin

  init(
    cache: ValueCache?, context: DependencyContext?, index: [ObjectIdentifier: ScopeNode],
    origin: IssueOrigin
  ) {
    self.cache = cache
    self.context = context
    self.index = index
    below = nil
    self.origin = origin
    super.init(rootOver: nil)
  }

  /// Adds an origin at the front of a list, which keeps its own where the new one is empty.
  init(origin: IssueOrigin, front: ScopeNode?) {
    let root = front?.root?.takeUnretainedValue()
    cache = root?.cache
    context = root?.context
    index = root?.index ?? [:]
    below = root?.below
    self.origin = origin.or(root?.origin ?? IssueOrigin())
    super.init(rootOver: front)
  }

  /// Lays a list over another one, for the time of a read: at its front, for one allocation.
  init(joining front: ScopeNode, to below: ScopeNode) {
    let (upper, lower) = (front.root?.takeUnretainedValue(), below.root?.takeUnretainedValue())
    cache = upper?.cache ?? lower?.cache
    context = upper?.context ?? lower?.context
    index = upper?.index ?? [:]
    self.below = below
    origin = (lower?.origin ?? IssueOrigin()).or(upper?.origin ?? IssueOrigin())
    super.init(rootOver: front)
  }
}
#endif
