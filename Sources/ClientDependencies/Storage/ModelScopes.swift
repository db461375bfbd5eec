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
#endif
