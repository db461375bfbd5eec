#if !PointFreeDependencies
/// The scopes that objects were made in, for those which came out of `withDependencies` as its
/// result.
///
/// An object with a `@Dependency` holds its scope itself. Those of others are remembered here, for
/// the process, because objects belong to it; they go as later objects come.
@usableFromInline
enum ModelScopes {
  private static let remembered = RememberedScopes()
  private static let capturing = CapturingTypes()

  /// Remembers the scope of `result`, where that is an object.
  @inlinable
  static func remember<Result>(_ result: Result, madeIn values: DependencyValues) {
    // The size is known at once and rules out most results; the type takes a look-up.
    guard MemoryLayout<Result>.size == MemoryLayout<AnyObject>.size, Result.self is AnyObject.Type
    else { return }
    remember(object: result as AnyObject, madeIn: values.scope)
  }

  @usableFromInline
  static func remember(object: AnyObject, madeIn scope: Scope) {
    if isCapturing(object) {
      remembered.sweep()
    } else {
      remembered.remember(object, madeIn: scope)
    }
  }

  /// The scope that carries over from an object: that of its first `@Dependency`, or the one that
  /// handed it out.
  static func scope(of model: AnyObject) -> Scope? {
    guard isCapturing(model), let scope = capturedScope(in: Mirror(reflecting: model)) else {
      return remembered.scope(of: model)
    }
    return scope
  }

  private static func isCapturing(_ object: AnyObject) -> Bool {
    capturing.capture(object) { capturedScope(in: Mirror(reflecting: object)) != nil }
  }

  private static func capturedScope(in mirror: Mirror?) -> Scope? {
    guard let mirror else { return nil }
    for case let (_, wrapper as any ScopeCapturing) in mirror.children {
      return wrapper.captured
    }
    return capturedScope(in: mirror.superclassMirror)
  }
}

/// Scopes that are remembered for objects, as long as the objects live and a little longer.
///
/// Nothing reports when an object has ended. Each time that a scope hands an object out, two of those
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
