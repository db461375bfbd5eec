#if !PointFreeDependencies
/// The scopes of objects that `withDependencies` returned.
///
/// An object with a `@Dependency` holds its own scope. The scopes of other objects are stored here
/// for the process, and removed as later objects are added.
@usableFromInline
enum ObjectScopes {
  private static let remembered = WeakScopeTable()
  private static let capturing = ScopeCapturingTypes()

  /// Stores the scope of `result` if it is an object.
  @inlinable
  static func remember<Result>(_ result: Result, madeIn values: DependencyValues) {
    // Compare the size first: it excludes most results without a type lookup.
    guard MemoryLayout<Result>.size == MemoryLayout<AnyObject>.size, Result.self is AnyObject.Type
    else { return }
    remember(object: result as AnyObject, madeIn: values.scope)
  }

  @usableFromInline
  static func remember(object: AnyObject, madeIn scope: DependencyScope) {
    if isCapturing(object) {
      remembered.sweep()
    } else {
      remembered.remember(object, madeIn: scope)
    }
  }

  /// The scope of an object: that of its first `@Dependency`, or else the stored one.
  static func scope(of model: AnyObject) -> DependencyScope? {
    guard isCapturing(model), let scope = capturedScope(in: Mirror(reflecting: model)) else {
      return remembered.scope(of: model)
    }
    return scope
  }

  private static func isCapturing(_ object: AnyObject) -> Bool {
    capturing.capture(object) { capturedScope(in: Mirror(reflecting: object)) != nil }
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
/// Nothing reports the end of an object, so each insertion also checks two other entries.
final class WeakScopeTable: Sendable {
  // `@unchecked` is right, because the object is only compared.
  fileprivate struct Entry: @unchecked Sendable {
    weak var object: AnyObject?
    var scope: DependencyScope
  }
  // `@unchecked` is right, because it only releases its contents.
  fileprivate struct Leftover: @unchecked Sendable {
    var object: AnyObject?
    var entry: Entry?
  }
  fileprivate struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var order: [ObjectIdentifier] = []
    var next = 0
  }
  // Held for one lookup or insertion. No reference is released under the lock, because the `deinit`
  // of an object could call back.
  private let state = Lock(State())

  /// Keeps the first scope of an object: outer scopes have fewer of its overrides.
  func remember(_ object: AnyObject, madeIn scope: DependencyScope) {
    let entry = Entry(object: object, scope: scope)
    let id = ObjectIdentifier(object)
    _ = state.withLock { state -> [Leftover] in
      [state.insert(entry, id)] + state.sweep()
    }
  }

  /// Removes the scopes of some ended objects.
  func sweep() {
    _ = state.withLock { $0.sweep() }
  }

  func scope(of object: AnyObject) -> DependencyScope? {
    let remembered = state.withLock { $0.entries[ObjectIdentifier(object)] }
    return remembered?.object === object ? remembered?.scope : nil
  }
}

extension WeakScopeTable.State {
  /// - Returns: references to release after the lock, as does `sweep`.
  fileprivate mutating func insert(
    _ entry: WeakScopeTable.Entry, _ id: ObjectIdentifier
  ) -> WeakScopeTable.Leftover {
    guard let earlier = entries[id] else {
      entries[id] = entry
      order.append(id)
      return WeakScopeTable.Leftover()
    }
    let object = earlier.object
    if object == nil { entries[id] = entry }
    return WeakScopeTable.Leftover(object: object, entry: earlier)
  }

  fileprivate mutating func sweep() -> [WeakScopeTable.Leftover] {
    (0..<min(2, order.count)).map { _ in checkNext() }
  }

  private mutating func checkNext() -> WeakScopeTable.Leftover {
    if next >= order.count { next = 0 }
    let id = order[next]
    if let object = entries[id]?.object {
      next += 1
      return WeakScopeTable.Leftover(object: object)
    }
    order.swapAt(next, order.count - 1)
    order.removeLast()
    return WeakScopeTable.Leftover(entry: entries.removeValue(forKey: id))
  }
}

/// Caches which types have a `@Dependency`, because inspecting an object takes microseconds.
final class ScopeCapturingTypes: Sendable {
  // Held for one lookup or insertion, never while an object is inspected.
  private let known = Lock<[ObjectIdentifier: Bool]>([:])

  /// Whether objects of this type hold their scope.
  ///
  /// - Parameter inspect: inspects the object.
  func capture(_ object: AnyObject, inspect: () -> Bool) -> Bool {
    let type = ObjectIdentifier(Swift.type(of: object))
    if let isCapturing = known.withLock({ $0[type] }) { return isCapturing }
    let isCapturing = inspect()
    known.withLock { $0[type] = isCapturing }
    return isCapturing
  }
}
#endif
