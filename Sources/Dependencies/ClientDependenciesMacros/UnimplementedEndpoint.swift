#if !PointFreeDependencies
/// An unimplemented endpoint; only the macros' expansions use it.
public struct _UnimplementedEndpoint: Sendable {
  let name: String
  let origin: IssueOrigin
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  /// Creates an endpoint with a name such as `AudioPlayerClient.play`, the test that gets its
  /// issues, and their source location.
  public init(
    _ name: String, from origin: IssueOrigin, fileID: StaticString, filePath: StaticString,
    line: UInt, column: UInt
  ) {
    self.name = name
    self.origin = origin
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  /// Reports the issue and returns the error to throw.
  @discardableResult
  public func report() -> Unimplemented {
    reportUnimplemented(
      name, from: origin, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// The origin of endpoints outside a `@DependencyClient`; a client has a property of the same name.
public var _issueOrigin: IssueOrigin { .current }

// Unimplemented versions of endpoints whose function type is hidden from the macro by a type alias.
// The type of the passed storage selects the overload; exactly one overload fits.
//
// Functions that do not throw need their own overloads, because the compiler (Swift 6.3) crashes
// when it converts a function that throws `Never`.
extension _UnimplementedEndpoint {
  /// Makes an unimplemented version of a synchronous function.
  public func closure<each Argument, Result>(
    like endpoint: ((repeat each Argument) -> Result)?
  ) -> @Sendable (repeat each Argument) -> Result {
    { (_: repeat each Argument) -> Result in
      report()
      return placeholder()
    }
  }

  /// Makes an unimplemented version of an asynchronous function.
  public func closure<each Argument, Result>(
    like endpoint: ((repeat each Argument) async -> Result)?
  ) -> @Sendable (repeat each Argument) async -> Result {
    { (_: repeat each Argument) async -> Result in
      report()
      return placeholder()
    }
  }

  /// Makes an unimplemented version of a throwing function.
  public func closure<each Argument, Result>(
    like endpoint: ((repeat each Argument) throws -> Result)?
  ) -> @Sendable (repeat each Argument) throws -> Result {
    { (_: repeat each Argument) throws -> Result in throw report() }
  }

  /// Makes an unimplemented version of an asynchronous throwing function.
  public func closure<each Argument, Result>(
    like endpoint: ((repeat each Argument) async throws -> Result)?
  ) -> @Sendable (repeat each Argument) async throws -> Result {
    { (_: repeat each Argument) async throws -> Result in throw report() }
  }

  /// Makes an unimplemented version of a function with typed throws.
  @_disfavoredOverload
  public func closure<each Argument, Result, Failure: Error>(
    like endpoint: ((repeat each Argument) throws(Failure) -> Result)?
  ) -> @Sendable (repeat each Argument) throws(Failure) -> Result {
    { (_: repeat each Argument) throws(Failure) -> Result in
      try outcome(throwing: Failure.self)
    }
  }

  /// Makes an unimplemented version of an asynchronous function with typed throws.
  @_disfavoredOverload
  public func closure<each Argument, Result, Failure: Error>(
    like endpoint: ((repeat each Argument) async throws(Failure) -> Result)?
  ) -> @Sendable (repeat each Argument) async throws(Failure) -> Result {
    { (_: repeat each Argument) async throws(Failure) -> Result in
      try outcome(throwing: Failure.self)
    }
  }

  /// Makes an unimplemented version of a function that is isolated to the main actor.
  @_disfavoredOverload
  public func closure<each Argument, Result>(
    like endpoint: (@MainActor (repeat each Argument) -> Result)?
  ) -> @MainActor @Sendable (repeat each Argument) -> Result {
    { @MainActor (_: repeat each Argument) -> Result in
      report()
      return placeholder()
    }
  }

  /// Makes an unimplemented version of a throwing function that is isolated to the main actor.
  @_disfavoredOverload
  public func closure<each Argument, Result>(
    like endpoint: (@MainActor (repeat each Argument) throws -> Result)?
  ) -> @MainActor @Sendable (repeat each Argument) throws -> Result {
    { @MainActor (_: repeat each Argument) throws -> Result in throw report() }
  }
}

extension _UnimplementedEndpoint {
  /// Reports the issue, then throws or returns the first of these that is possible.
  ///
  /// - It throws `Unimplemented`.
  /// - It throws `Failure.unimplemented`, if `Failure` is an ``UnimplementedEndpointError``.
  /// - It returns a placeholder.
  /// - It throws the first case of `Failure`, if `Failure` is `CaseIterable`.
  /// - It returns the first case of `Result`, if `Result` is `CaseIterable`.
  ///
  /// If none is possible, it ends the process. A call that never returned would end with a test's
  /// time limit, which would hide the issue.
  public func outcome<Result, Failure: Error>(
    throwing: Failure.Type
  ) throws(Failure) -> Result {
    if let error = report() as? Failure { throw error }
    if let error = error(Failure.self) { throw error }
    if let value = Placeholder.value(of: Result.self) { return value }
    if let error = Placeholder.firstCase(of: Failure.self) { throw error }
    return placeholder()
  }

  private func error<Failure: Error>(_ type: Failure.Type) -> Failure? {
    (type as? any UnimplementedEndpointError.Type)?.unimplemented(name) as? Failure
  }

  /// Returns the result of an endpoint that cannot throw, after the report.
  func placeholder<Result>() -> Result {
    if let value = Placeholder.value(of: Result.self) { return value }
    if let value = Placeholder.firstCase(of: Result.self) { return value }
    let advice = """
      '\(name)' is unimplemented, and there is nothing that the call could return or throw. Give \
      the endpoint a default, as in 'var … = { … }', or have \(Result.self) conform to \
      'UnimplementedPlaceholder' or, if the endpoint throws its own error type, that type to \
      'UnimplementedEndpointError'.
      """
    origin.reportIssue(
      advice, fileID: fileID, filePath: filePath, line: line, column: column)
    preconditionFailure(advice)
  }
}

/// An error that an unimplemented endpoint can throw.
///
/// An endpoint with `throws(MyError)` cannot throw ``/ClientDependencies/Unimplemented`` when it is
/// called without an implementation. If `MyError` conforms to this protocol, the endpoint throws
/// `MyError.unimplemented`; a case of an enumeration is enough:
///
/// ```swift
/// enum TunerError: UnimplementedEndpointError, Equatable {
///   case noSignal
///   case unimplemented(_ endpoint: String)
/// }
/// ```
///
/// For other errors, see ``UnimplementedPlaceholder``.
public protocol UnimplementedEndpointError: Error {
  /// Returns the error of a call of an unimplemented endpoint.
  ///
  /// - Parameter endpoint: The endpoint, as in `DataClient.fetch`.
  static func unimplemented(_ endpoint: String) -> Self
}

// The types below are for initializer parameters whose written type is only a name, which may be an
// alias of a function type.

/// The type of an initializer's parameter; only the macros' expansions use it.
public protocol _ParameterType<Kept> {
  /// The type of the stored value; a function type here is escaping without `@escaping`.
  associatedtype Kept
}

/// Names a ``_ParameterType``; only the macros' expansions use it.
public enum _TypeOfParameter<Kept>: _ParameterType {}

/// Makes the default argument of a parameter that may be a function.
///
/// Only the macros' expansions use it.
@freestanding(expression)
public macro _ClientDependenciesMacros_unimplementedEndpoint<Value>(_ endpoint: String) -> Value =
  #externalMacro(
    module: "ClientDependenciesMacrosPlugin", type: "UnimplementedEndpointMacro")

extension _UnimplementedEndpoint {
  /// Makes an unimplemented function, which reports issues to the test that creates it.
  public static func standIn<Endpoint>(
    _ name: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, _ closure: (Self, Endpoint?) -> Endpoint
  ) -> Endpoint {
    let endpoint = Self(
      name, from: .current, fileID: fileID, filePath: filePath, line: line, column: column)
    return closure(endpoint, nil)
  }

  /// Rejects a property that is not a function, because only a function can be unimplemented.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "This property of the client is not a function. Pass its value to the initializer."
  )
  public func closure<Value>(like value: Value?) -> Value {
    placeholder()
  }
}
#endif
