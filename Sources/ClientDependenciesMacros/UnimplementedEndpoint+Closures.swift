#if !PointFreeDependencies
// For endpoints whose shape a type alias hides from the macro: the type checker picks the function
// by the type of the storage that is passed. Parameters may be less effectful than an argument's
// type, results more so, which leaves one that fits exactly.
//
// A function of a thrown type cannot stand for those that throw nothing: the compiler crashes when
// it converts one with `Never` (Swift 6.3).
extension _UnimplementedEndpoint {
  /// A stand-in for a function.
  public func closure<each Argument, Result>(
    like endpoint: ((repeat each Argument) -> Result)?
  ) -> @Sendable (repeat each Argument) -> Result {
    { (_: repeat each Argument) -> Result in
      report()
      return placeholder()
    }
  }

  /// A stand-in for an asynchronous function.
  public func closure<each Argument, Result>(
    like endpoint: ((repeat each Argument) async -> Result)?
  ) -> @Sendable (repeat each Argument) async -> Result {
    { (_: repeat each Argument) async -> Result in
      report()
      return placeholder()
    }
  }

  /// A stand-in for a function that throws.
  public func closure<each Argument, Result>(
    like endpoint: ((repeat each Argument) throws -> Result)?
  ) -> @Sendable (repeat each Argument) throws -> Result {
    { (_: repeat each Argument) throws -> Result in throw report() }
  }

  /// A stand-in for an asynchronous function that throws.
  public func closure<each Argument, Result>(
    like endpoint: ((repeat each Argument) async throws -> Result)?
  ) -> @Sendable (repeat each Argument) async throws -> Result {
    { (_: repeat each Argument) async throws -> Result in throw report() }
  }

  /// A stand-in for a function that throws errors of its own.
  @_disfavoredOverload
  public func closure<each Argument, Result, Failure: Error>(
    like endpoint: ((repeat each Argument) throws(Failure) -> Result)?
  ) -> @Sendable (repeat each Argument) throws(Failure) -> Result {
    { (_: repeat each Argument) throws(Failure) -> Result in
      try outcome(throwing: Failure.self)
    }
  }

  /// A stand-in for an asynchronous function that throws errors of its own.
  @_disfavoredOverload
  public func closure<each Argument, Result, Failure: Error>(
    like endpoint: ((repeat each Argument) async throws(Failure) -> Result)?
  ) -> @Sendable (repeat each Argument) async throws(Failure) -> Result {
    { (_: repeat each Argument) async throws(Failure) -> Result in
      try outcome(throwing: Failure.self)
    }
  }

  /// A stand-in for a function of the main actor.
  @_disfavoredOverload
  public func closure<each Argument, Result>(
    like endpoint: (@MainActor (repeat each Argument) -> Result)?
  ) -> @MainActor @Sendable (repeat each Argument) -> Result {
    { @MainActor (_: repeat each Argument) -> Result in
      report()
      return placeholder()
    }
  }

  /// A stand-in for a function of the main actor that throws.
  @_disfavoredOverload
  public func closure<each Argument, Result>(
    like endpoint: (@MainActor (repeat each Argument) throws -> Result)?
  ) -> @MainActor @Sendable (repeat each Argument) throws -> Result {
    { @MainActor (_: repeat each Argument) throws -> Result in throw report() }
  }
}
#endif
