#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

extension Client {
  /// The hidden property that says to which test unimplemented endpoints report.
  var origin: DeclSyntax {
    """
    private var _issueOrigin: ClientDependencies.IssueOrigin = ._current { \
    (client: inout Self, origin: ClientDependencies.IssueOrigin) in client._issueOrigin = origin }
    """
  }

  /// A function that nobody calls, and that does not compile where the module's default isolation
  /// takes the client for the main actor.
  func isolationCheck(in context: some MacroExpansionContext) -> [DeclSyntax] {
    guard !saysItsIsolation else { return [] }
    let checks = context.checks(in: "_checkIsolation", on: declaration.structKeyword)
    return ["private static func _checkIsolation() {\n\(raw: checks)\n}"]
  }

  /// Whether the struct is `nonisolated`, or has an attribute that may be a global actor.
  private var saysItsIsolation: Bool {
    declaration.modifiers.contains { $0.name.tokenKind == .keyword(.nonisolated) }
      || declaration.attributes.contains { element in
        guard let name = element.as(AttributeSyntax.self)?.name else { return true }
        return !["DependencyClient", "available", "frozen"].contains(name)
      }
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
