#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder

extension Client {
  /// The hidden property that says to which test unimplemented endpoints report.
  var origin: DeclSyntax {
    """
    private var _issueOrigin: ClientDependencies.IssueOrigin = ._current { \
    (client: inout Self, origin: ClientDependencies.IssueOrigin) in client._issueOrigin = origin }
    """
  }

  /// The properties whose type neither an annotation nor a literal tells.
  var propertiesWithoutType: [ClientProperty] {
    members.flatMap(\.properties).filter { $0.type == nil }
  }
}

extension Client.Member {
  fileprivate var properties: [ClientProperty] {
    switch self {
    case .property(let property): [property]
    case .conditional(let clauses): clauses.flatMap(\.members).flatMap(\.properties)
    }
  }
}
#endif
