#if !PointFreeDependencies
// For properties of clients of whose type the macro sees a name only, which may be an alias of a
// function type.

/// The type of an initializer's parameter; only the macros' expansions use it.
public protocol _ParameterType<Kept> {
  /// What the initializer keeps: if it is a function, it is escaping without saying so.
  associatedtype Kept
}

/// Names a ``_ParameterType``; only the macros' expansions use it.
public enum _TypeOfParameter<Kept>: _ParameterType {}

/// An unimplemented function, as an initializer's default; only the macros' expansions use it.
@freestanding(expression)
public macro _ClientDependenciesMacros_unimplementedEndpoint<Value>(_ endpoint: String) -> Value =
  #externalMacro(
    module: "ClientDependenciesMacrosPlugin", type: "UnimplementedEndpointMacro")

extension _UnimplementedEndpoint {
  /// Makes a stand-in that reports to the test in which it is made.
  public static func standIn<Endpoint>(
    _ name: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, _ closure: (Self, Endpoint?) -> Endpoint
  ) -> Endpoint {
    let endpoint = Self(
      name, from: .current, fileID: fileID, filePath: filePath, line: line, column: column)
    return closure(endpoint, nil)
  }

  /// Only functions have a stand-in.
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
