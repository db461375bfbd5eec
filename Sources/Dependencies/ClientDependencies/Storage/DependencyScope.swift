#if !PointFreeDependencies
/// The overrides of a scope with its cache and context.
///
/// The overrides are an immutable list that nested scopes extend at the front: an override costs
/// one allocation, reading takes no lock, and an outer scope cannot see an inner one. The path of
/// reads and overrides is inlinable, so that it needs no metadata at run time where the value's
/// type is known.
@usableFromInline
struct DependencyScope: Sendable {
  /// Nil without overrides, so that threads do not contend for a reference count in the process's
  /// scope.
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

extension DependencyScope {
  /// Longer lists are searched by an index.
  ///
  /// Walking a shorter list is faster.
  @usableFromInline static var longestList: Int { 8 }

  /// The override of a key.
  @inlinable
  func value<Key: TestDependencyKey>(of key: Key.Type) -> Key.Value? {
    guard let node = node(ObjectIdentifier(key)) else { return nil }
    // Right, because only `overriding` makes nodes, each under the key of its value, and the scope
    // retains them.
    return node._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: ScopeOverride<Key.Value>.self).value
    }
  }

  @inlinable
  func overriding<Key: TestDependencyKey>(_ key: Key.Type, with value: Key.Value) -> DependencyScope
  {
    let isShort = front.map { $0.depth < Self.longestList } ?? true
    let outer = isShort ? front : folded.front
    return DependencyScope(front: ScopeOverride(value, key: ObjectIdentifier(key), outer: outer))
  }

  func inContext(_ context: DependencyContext) -> DependencyScope {
    DependencyScope(
      root: ScopeRoot(cache: keptCache, context: context, index: overrides, origin: origin))
  }

  /// Joins this scope with the one that a wrapper captured, which it usually contains.
  ///
  /// - Returns: whether the scope has changed.
  @inlinable
  mutating func join(_ captured: DependencyScope) -> Bool {
    guard captured.front != nil, captured.front !== front else { return false }
    let joined = joined(to: captured)
    defer { self = joined }
    return joined.front !== front
  }

  @usableFromInline
  func joined(to captured: DependencyScope) -> DependencyScope {
    guard let front else { return captured }
    guard let below = captured.front, !contains(captured) else { return self }
    if root?._withUnsafeGuaranteedRef({ $0.below == nil }) == false {
      return merged(over: captured)
    }
    return DependencyScope(root: ScopeRoot(joining: front, to: below))
  }

  /// Whether the other scope is this one or an outer one.
  private func contains(_ other: DependencyScope) -> Bool {
    var next = front.map(Unmanaged.passUnretained)
    while let node = next {
      if node._withUnsafeGuaranteedRef({ $0 === other.front }) { return true }
      next = node._withUnsafeGuaranteedRef { $0.next }
    }
    return false
  }

  func inCache(_ cache: ValueCache) -> DependencyScope {
    DependencyScope(
      root: ScopeRoot(cache: cache, context: context, index: overrides, origin: origin))
  }

  /// The scope for a wrapper to capture, with the test in a test process.
  @inlinable var captured: DependencyScope {
    let kept = root == nil ? self : withoutReaderOverrides
    return isTesting ? kept.inTest : kept
  }

  @usableFromInline var inTest: DependencyScope {
    DependencyScope(root: ScopeRoot(origin: .ofWrapper, front: front))
  }

  /// Without the overrides of a value's first reader, if its construction reads this scope.
  ///
  /// Overrides that the construction itself has set stay.
  @usableFromInline var withoutReaderOverrides: DependencyScope {
    guard let root = root?.takeUnretainedValue(), root.holdsReaderOverrides else { return self }
    var own: [ObjectIdentifier: ScopeNode] = [:]
    var node = front
    while let current = node, current !== root {
      if let key = current.key, own[key] == nil { own[key] = current.alone() }
      node = current.outer
    }
    return DependencyScope(
      root: ScopeRoot(cache: root.cache, context: root.context, index: own, origin: root.origin))
  }

  /// The scope for the construction of a value that all readers get.
  ///
  /// The construction reads the overrides of the first reader, but no wrapper captures them there.
  var forConstruction: DependencyScope {
    front == nil
      ? self
      : DependencyScope(
        root: ScopeRoot(origin: IssueOrigin(), front: front, holdsReaderOverrides: true))
  }

  /// The test in which the reading wrapper was created, or else the test of its scope.
  var origin: IssueOrigin {
    root?._withUnsafeGuaranteedRef { $0.origin } ?? IssueOrigin()
  }

  /// This scope's overrides merged over those of another scope.
  ///
  /// The other's cache replaces the process's.
  @usableFromInline
  func merged(over other: DependencyScope) -> DependencyScope {
    guard front != nil else { return other }
    if other.front == nil || contains(other) { return self }
    return DependencyScope(
      root: ScopeRoot(
        cache: keptCache ?? other.keptCache, context: context ?? other.context,
        index: overrides.merging(other.overrides) { mine, _ in mine },
        origin: other.origin.or(origin)))
  }

  /// The cache for the scope's context values.
  var cache: ValueCache { keptCache ?? .ofProcess }

  /// The cache unless it is the process's.
  ///
  /// The scope retains it.
  var ownCache: Unmanaged<ValueCache>? {
    root?._withUnsafeGuaranteedRef { $0.cache.map(Unmanaged.passUnretained) }
  }

  private var keptCache: ValueCache? { ownCache?.takeUnretainedValue() }

  /// The context set by this scope or an outer one.
  @usableFromInline var context: DependencyContext? {
    root?._withUnsafeGuaranteedRef { $0.context }
  }

  @usableFromInline var folded: DependencyScope {
    DependencyScope(
      root: ScopeRoot(cache: keptCache, context: context, index: overrides, origin: origin))
  }

  /// The override of a key.
  ///
  /// The scope retains it.
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
        ?? root.below.flatMap { DependencyScope(front: $0).node(key) }
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
    overrides.merge(DependencyScope(front: root.below).overrides) { inner, _ in inner }
    return overrides
  }
}

/// A node of a scope's list: an override or the root.
@usableFromInline
class ScopeNode: @unchecked Sendable {  // Right, because a node is immutable.
  @usableFromInline final let key: ObjectIdentifier?
  @usableFromInline final let outer: ScopeNode?
  /// The outer node without reference counting, for readers.
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

  /// The root of the list; nil for the process's scope.
  ///
  /// The list retains it.
  @inlinable final var root: Unmanaged<ScopeRoot>? {
    isRoot ? .passUnretained(unsafeDowncast(self, to: ScopeRoot.self)) : outerRoot
  }

  /// The override without its outer nodes, for an index that outlives the list.
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

/// The cache, context, and index of a scope, usually at the end of its list.
@usableFromInline
final class ScopeRoot: ScopeNode, @unchecked Sendable {  // See `ScopeNode`.
  let cache: ValueCache?
  let context: DependencyContext?
  /// The overrides of a long list.
  let index: [ObjectIdentifier: ScopeNode]
  /// Searched last.
  let below: ScopeNode?
  /// The test in which the wrapper that captured the scope was created.
  let origin: IssueOrigin
  /// Whether the outer nodes are those of a value's first reader; see `forConstruction`.
  let holdsReaderOverrides: Bool

  init(
    cache: ValueCache?, context: DependencyContext?, index: [ObjectIdentifier: ScopeNode],
    origin: IssueOrigin
  ) {
    self.cache = cache
    self.context = context
    self.index = index
    below = nil
    self.origin = origin
    holdsReaderOverrides = false
    super.init(rootOver: nil)
  }

  /// Adds an origin at the front of a list.
  ///
  /// An empty origin leaves the list's own.
  init(origin: IssueOrigin, front: ScopeNode?, holdsReaderOverrides: Bool = false) {
    let root = front?.root?.takeUnretainedValue()
    cache = root?.cache
    context = root?.context
    index = root?.index ?? [:]
    below = root?.below
    self.origin = origin.or(root?.origin ?? IssueOrigin())
    self.holdsReaderOverrides = holdsReaderOverrides
    super.init(rootOver: front)
  }

  /// Joins two lists for one read, with one allocation.
  init(joining front: ScopeNode, to below: ScopeNode) {
    let (upper, lower) = (front.root?.takeUnretainedValue(), below.root?.takeUnretainedValue())
    cache = upper?.cache ?? lower?.cache
    context = upper?.context ?? lower?.context
    index = upper?.index ?? [:]
    self.below = below
    origin = (lower?.origin ?? IssueOrigin()).or(upper?.origin ?? IssueOrigin())
    holdsReaderOverrides = false
    super.init(rootOver: front)
  }
}
#endif
