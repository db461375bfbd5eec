extension AsyncThrowingStream where Failure == any Error {
  /// A stream that throws at the first demand.
  static func failed(_ error: any Error) -> Self {
    let (stream, continuation) = makeStream(of: Element.self)
    continuation.finish(throwing: error)
    return stream
  }
}
