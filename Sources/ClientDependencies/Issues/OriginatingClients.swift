#if !PointFreeDependencies
import IssueReporting

/// How clients that a macro made are told where their unimplemented endpoints report to.
///
/// It is kept by the client's type. A protocol would be simpler; but Swift lets no macro add a
/// conformance to a type that is declared in a function, as clients in tests are.
final class OriginatingClients: Sendable {
  static let shared = OriginatingClients()

  private struct Setter<Client>: Sendable {
    let set: @Sendable (inout Client, IssueOrigin) -> Void
  }
  // Held for one look-up or change of the dictionary. Its values release nothing.
  private let setters = Lock<[ObjectIdentifier: any Sendable]>([:])

  func register<Client>(_ set: @escaping @Sendable (inout Client, IssueOrigin) -> Void) {
    setters.withLock { setters in
      if setters[ObjectIdentifier(Client.self)] == nil {
        setters[ObjectIdentifier(Client.self)] = Setter(set: set)
      }
    }
  }

  /// A copy of a client that reports to `origin`; or the value itself, if no macro made it.
  func value<Value>(_ value: Value, reportingTo origin: @autoclosure () -> IssueOrigin) -> Value {
    let setter = setters.withLock { $0[ObjectIdentifier(Value.self)] }
    guard let setter = setter as? Setter<Value> else { return value }
    let origin = origin()
    guard origin.test != nil else { return value }
    var value = value
    setter.set(&value, origin)
    return value
  }
}

extension IssueOrigin {
  /// The current origin, for a client that a macro made; only its expansions use this.
  ///
  /// - Parameter set: Puts another origin into a client: `DependencyValues` does that with each
  ///   client that it hands out in a test.
  public static func _current<Client>(
    _ set: @escaping @Sendable (inout Client, IssueOrigin) -> Void
  ) -> IssueOrigin {
    guard isTesting else { return IssueOrigin() }
    OriginatingClients.shared.register(set)
    return .current
  }
}

extension DependencyValues {
  /// A value as it is handed out to who reads it in a test process.
  @usableFromInline
  func originating<Value>(_ value: Value) -> Value {
    OriginatingClients.shared.value(
      value, reportingTo: .current.or(scope.origin))
  }
}
#endif
