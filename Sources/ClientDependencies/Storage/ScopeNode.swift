#if !PointFreeDependencies
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
