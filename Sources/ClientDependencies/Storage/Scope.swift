/// The overrides of a scope: a list that nested scopes extend at its front and never change.
///
/// One override costs one allocation, reading takes no lock, and an outer scope cannot see an inner
/// one. What every read and every override passes is inlinable: in the module that knows the
/// value's type it needs no metadata at run time.
@usableFromInline
class Scope: @unchecked Sendable {  // Right, because neither this class nor `Override` has a `var`.
  /// The cache that the scope's context values are kept in.
  @usableFromInline final let cache: ValueCache
  /// The context that this scope or one around it chose.
  @usableFromInline final let context: DependencyContext?

  @usableFromInline final let key: ObjectIdentifier?
  @usableFromInline final let outer: Scope?
  /// Everything below this point of the list, once it has grown long.
  @usableFromInline final let index: [ObjectIdentifier: Scope]
  @usableFromInline final let depth: Int

  /// A scope without overrides.
  convenience init(cache: ValueCache) {
    self.init(cache: cache, context: nil)
  }

  @usableFromInline
  init(
    cache: ValueCache, context: DependencyContext?, key: ObjectIdentifier? = nil,
    outer: Scope? = nil, index: [ObjectIdentifier: Scope] = [:]
  ) {
    self.cache = cache
    self.context = context
    self.key = key
    self.outer = outer
    self.index = index
    depth = (outer?.depth ?? 0) + 1
  }
}

/// One override at the front of a scope.
@usableFromInline
final class Override<Value: Sendable>: Scope, @unchecked Sendable {  // See `Scope`.
  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value, key: ObjectIdentifier, outer: Scope) {
    self.value = value
    super.init(cache: outer.cache, context: outer.context, key: key, outer: outer)
  }
}

extension Scope {
  /// From this length on a list is searched by an index; shorter ones are faster to walk along.
  @usableFromInline static var longestList: Int { 8 }

  /// What the scope overrides a key with.
  @inlinable
  final func value<Key: TestDependencyKey>(of key: Key.Type) -> Key.Value? {
    guard let node = node(ObjectIdentifier(key)) else { return nil }
    // Right, because only `overriding` makes nodes, and it files each under the key whose value it
    // holds.
    return unsafeDowncast(node, to: Override<Key.Value>.self).value
  }

  @inlinable
  final func overriding<Key: TestDependencyKey>(_ key: Key.Type, with value: Key.Value) -> Scope {
    Override(value, key: ObjectIdentifier(key), outer: depth < Self.longestList ? self : folded)
  }

  final func inContext(_ context: DependencyContext) -> Scope {
    Scope(cache: cache, context: context, index: allNodes)
  }

  final func inCache(_ cache: ValueCache) -> Scope {
    Scope(cache: cache, context: context, index: allNodes)
  }

  /// This scope's overrides over those of another one, and the other's cache where this one uses
  /// the process's.
  final func merged(over other: Scope) -> Scope {
    if self === other { return self }
    return Scope(
      cache: cache === ValueCache.ofProcess ? other.cache : cache,
      context: context ?? other.context,
      index: allNodes.merging(other.allNodes) { mine, _ in mine })
  }

  @usableFromInline final var folded: Scope {
    Scope(cache: cache, context: context, index: allNodes)
  }

  @usableFromInline
  final func node(_ key: ObjectIdentifier) -> Scope? {
    var scope = self
    while let outer = scope.outer {
      if scope.key == key { return scope }
      scope = outer
    }
    return scope.index.isEmpty ? nil : scope.index[key]
  }

  private final var allNodes: [ObjectIdentifier: Scope] {
    guard let key, let outer else { return index }
    var nodes = outer.allNodes
    nodes[key] = self
    return nodes
  }
}
