extension AsyncThrowingStream where Failure == any Error {
  /// A stream without elements.
  public static func finished(throwing error: Failure? = nil) -> Self {
    Self(unfolding: { if let error { throw error } else { nil } })
  }
}
