#if !PointFreeDependencies
/// The scopes that objects were made in, for those which came out of `withDependencies` as its
/// result.
///
/// It belongs to the process because objects do; nothing in it outlives its object by more than a
/// sweep.
@usableFromInline
enum ModelScopes {
  // `@unchecked` is right, because the object is only compared, never used.
  fileprivate struct Entry: @unchecked Sendable {
    weak var object: AnyObject?
    var scope: Scope
  }
  fileprivate struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var sweepAt = 64
  }
  // Held for one look-up or insertion, and only where an object is remembered or asked for.
  private static let state = Lock(State())

  /// Remembers the scope of `result`, where that is an object.
  @inlinable
  static func remember<Result>(_ result: Result, madeIn values: DependencyValues) {
    // The size is known at once and rules out most results; the type takes a look-up.
    guard MemoryLayout<Result>.size == MemoryLayout<AnyObject>.size, Result.self is AnyObject.Type
    else { return }
    remember(object: result as AnyObject, madeIn: values.scope)
  }

  /// The first scope that hands an object out made it; those around it know less of its overrides.
  @usableFromInline
  static func remember(object: AnyObject, madeIn scope: Scope) {
    let entry = Entry(object: object, scope: scope)
    let id = ObjectIdentifier(object)
    state.withLock { state in
      guard state.entries[id]?.object !== object else { return }
      state.entries[id] = entry
      state.sweepIfLarge()
    }
  }

  /// The scope that carries over from an object: that of its first `@Dependency`, or the one that
  /// handed it out.
  static func scope(of model: AnyObject) -> Scope? {
    capturedScope(in: Mirror(reflecting: model)) ?? rememberedScope(of: model)
  }

  private static func rememberedScope(of model: AnyObject) -> Scope? {
    let remembered = state.withLock { $0.entries[ObjectIdentifier(model)] }
    return remembered?.object === model ? remembered?.scope : nil
  }

  private static func capturedScope(in mirror: Mirror?) -> Scope? {
    guard let mirror else { return nil }
    for case let (_, wrapper as any ScopeCapturing) in mirror.children {
      return wrapper.captured
    }
    return capturedScope(in: mirror.superclassMirror)
  }
}

extension ModelScopes.State {
  fileprivate mutating func sweepIfLarge() {
    guard entries.count >= sweepAt else { return }
    entries = entries.filter { $0.value.object != nil }
    sweepAt = max(64, 2 * entries.count)
  }
}
#endif
