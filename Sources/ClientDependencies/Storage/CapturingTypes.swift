#if !PointFreeDependencies
/// The types of objects that hold a `@Dependency`, and those that do not.
///
/// A look at an object's properties takes microseconds, and all objects of a type have the same
/// ones: the first object that comes answers for those that follow.
final class CapturingTypes: Sendable {
  // Held for one look-up or insertion, never while an object is looked at.
  private let known = Lock<[ObjectIdentifier: Bool]>([:])

  /// Whether objects of this one's type hold the scope that they were made in.
  ///
  /// - Parameter look: looks at the object itself.
  func capture(_ object: AnyObject, look: () -> Bool) -> Bool {
    let type = ObjectIdentifier(Swift.type(of: object))
    if let isCapturing = known.withLock({ $0[type] }) { return isCapturing }
    let isCapturing = look()
    known.withLock { $0[type] = isCapturing }
    return isCapturing
  }
}
#endif
