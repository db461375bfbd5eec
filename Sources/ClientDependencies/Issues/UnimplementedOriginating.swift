/// A client whose unimplemented endpoints report to the test that the client was read in.
///
/// The macro `DependencyClient` makes clients conform; `DependencyValues` sets the origin of each
/// value that it hands out in a test. Do not use it yourself.
public protocol _UnimplementedOriginating {
  /// Where unimplemented endpoints report to; empty outside tests.
  var _issueOrigin: IssueOrigin { get set }
}

extension DependencyValues {
  /// A value as it is handed out to who reads it in a test process.
  @usableFromInline
  func originating<Value>(_ value: Value) -> Value {
    guard var client = value as? any _UnimplementedOriginating else { return value }
    client._issueOrigin = IssueOrigin.current.or(scope.origin)
      .or(client._issueOrigin)
    return client as? Value ?? value
  }
}
