#if !PointFreeDependencies
/// An error that an unimplemented endpoint can throw.
///
/// An endpoint with `throws(MyError)` cannot throw ``ClientDependencies/Unimplemented`` when it is
/// called without an implementation. If its error conforms to this protocol, it throws one of
/// those; a case of an enumeration is enough:
///
/// ```swift
/// enum TunerError: UnimplementedEndpointError, Equatable {
///   case noSignal
///   case unimplemented(_ endpoint: String)
/// }
/// ```
///
/// Otherwise see ``UnimplementedPlaceholder``.
public protocol UnimplementedEndpointError: Error {
  /// The error of a call that nobody has implemented.
  ///
  /// - Parameter endpoint: The endpoint, as in `DataClient.fetch`.
  static func unimplemented(_ endpoint: String) -> Self
}
#endif
