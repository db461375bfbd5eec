#if !PointFreeDependencies
/// A value that an unimplemented endpoint can return after it has reported its issue.
///
/// It is asked for where an endpoint can neither throw ``ClientDependencies/Unimplemented`` nor has
/// a default: with `throws(MyError)`, and behind a type alias. Optionals, collections, numbers,
/// Booleans, options and streams need no conformance: their placeholder is nothing, empty, zero or
/// false. Any other type without a conformance leaves nothing to return, and the process
/// ends, unless the type, or the error of `throws(MyError)`, is `CaseIterable`: then it is
/// the first case.
public protocol UnimplementedPlaceholder {
  /// Any value will do, because the test has failed when it is returned.
  static var unimplementedPlaceholder: Self { get }
}

extension AsyncStream: UnimplementedPlaceholder {
  /// A stream that ends at once.
  public static var unimplementedPlaceholder: Self { Self { $0.finish() } }
}

extension AsyncThrowingStream: UnimplementedPlaceholder where Failure == any Error {
  /// A stream that ends at once, with the error that says why.
  public static var unimplementedPlaceholder: Self {
    Self { $0.finish(throwing: Unimplemented("\(Self.self)")) }
  }
}
#endif
