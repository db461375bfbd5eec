#if !PointFreeDependencies
/// Scopes that are remembered for objects, as long as the objects live and a little longer.
///
/// Nothing tells when an object has ended. Each time that a scope hands an object out, two of those
/// that are remembered are therefore looked at: as many hand-outs as there are objects
/// see them all.
final class RememberedScopes: Sendable {
  // `@unchecked` is right, because the object is only compared, never used.
  fileprivate struct Entry: @unchecked Sendable {
    weak var object: AnyObject?
    var scope: Scope
  }
  // `@unchecked` is right, because it only ends what it holds.
  fileprivate struct Leftover: @unchecked Sendable {
    var object: AnyObject?
    var entry: Entry?
  }
  fileprivate struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var order: [ObjectIdentifier] = []
    var next = 0
  }
  // Held for one look-up or insertion. No reference is released meanwhile, because that could end
  // an object whose `deinit` comes back here.
  private let state = Lock(State())

  /// The first scope that hands an object out made it; those around it know less of its overrides.
  func remember(_ object: AnyObject, madeIn scope: Scope) {
    let entry = Entry(object: object, scope: scope)
    let id = ObjectIdentifier(object)
    _ = state.withLock { state -> [Leftover] in
      [state.insert(entry, id)] + state.sweep()
    }
  }

  /// Forgets the scopes of some objects that have ended.
  func sweep() {
    _ = state.withLock { $0.sweep() }
  }

  func scope(of object: AnyObject) -> Scope? {
    let remembered = state.withLock { $0.entries[ObjectIdentifier(object)] }
    return remembered?.object === object ? remembered?.scope : nil
  }
}

extension RememberedScopes.State {
  /// - Returns: what the caller releases once it has released the lock; so does `sweep`.
  fileprivate mutating func insert(
    _ entry: RememberedScopes.Entry, _ id: ObjectIdentifier
  ) -> RememberedScopes.Leftover {
    guard let earlier = entries[id] else {
      entries[id] = entry
      order.append(id)
      return RememberedScopes.Leftover()
    }
    let object = earlier.object
    if object == nil { entries[id] = entry }
    return RememberedScopes.Leftover(object: object, entry: earlier)
  }

  fileprivate mutating func sweep() -> [RememberedScopes.Leftover] {
    (0..<min(2, order.count)).map { _ in checkNext() }
  }

  private mutating func checkNext() -> RememberedScopes.Leftover {
    if next >= order.count { next = 0 }
    let id = order[next]
    if let object = entries[id]?.object {
      next += 1
      return RememberedScopes.Leftover(object: object)
    }
    order.swapAt(next, order.count - 1)
    order.removeLast()
    return RememberedScopes.Leftover(entry: entries.removeValue(forKey: id))
  }
}
#endif
