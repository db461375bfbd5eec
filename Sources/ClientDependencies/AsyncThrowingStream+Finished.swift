#if !PointFreeDependencies
extension AsyncThrowingStream where Failure == any Error {
  /// A stream without elements, that ends at once or throws at once: the default of an endpoint
  /// that returns a stream.
  public static func finished(throwing error: Failure? = nil) -> Self {
    AsyncThrowingStream { $0.finish(throwing: error) }
  }
}
#endif
