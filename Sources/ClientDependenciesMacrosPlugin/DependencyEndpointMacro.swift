#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Makes a property with a function type an endpoint: it is unimplemented until it is set.
enum DependencyEndpointMacro {}

extension DependencyEndpointMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let endpoint = Endpoint(declaration), endpoint.problem(node) == nil else {
      return declaration.accessorsDespiteProblem
    }
    return endpoint.initAccessor + [
      """
      get {
      if \(endpoint.storage) != nil {
      return \(endpoint.storage)!
      }
      return \(endpoint.standIn)()
      }
      """,
      "set {\n\(endpoint.storage) = newValue\n}",
    ]
  }
}

extension Endpoint {
  /// Lets initialisers set the endpoint before other properties.
  ///
  /// Without a default only: Swift would pass the default through it into each new value, so that
  /// the endpoint would count as implemented. Without it Swift drops the default, which the
  /// stand-in has.
  fileprivate var initAccessor: [AccessorDeclSyntax] {
    guard binding.initializer == nil else { return [] }
    return [
      """
      @storageRestrictions(initializes: \(storage))
      init(initialValue) {
      \(storage) = initialValue
      }
      """
    ]
  }
}

extension DependencyEndpointMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let endpoint = Endpoint(declaration) else {
      context.diagnose(.notAnEndpoint(node))
      return []
    }
    if let problem = endpoint.problem(node) {
      context.diagnose(problem)
      return []
    }
    [endpoint.problemOfDefault, endpoint.problemOfMethod(node)].compactMap(\.self)
      .forEach(context.diagnose)
    endpoint.warnings.forEach(context.diagnose)
    return endpoint.methods(named: node.methodName, isSendable: context.isInSendableType)
      + [
        endpoint.storageDeclaration, endpoint.standInDeclaration,
        endpoint.unimplementedDeclaration,
      ]
  }
}

extension MacroExpansionContext {
  /// Whether the type around says that it is `Sendable`; that of the compiler's inference is enough
  /// for nobody but the compiler.
  fileprivate var isInSendableType: Bool {
    let type = lexicalContext.first?.asProtocol((any DeclGroupSyntax).self)
    return type?.inheritanceClause?.inheritedTypes.contains { $0.type.names("Sendable") } == true
  }
}

extension TypeSyntax {
  /// Whether it is or contains the protocol of this name, as `@unchecked Sendable` does.
  fileprivate func names(_ name: String) -> Bool {
    if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.names(name) }
    if let type = self.as(CompositionTypeSyntax.self) {
      return type.elements.contains { $0.type.names(name) }
    }
    return lastName == name
  }
}

/// Marks a property that `@DependencyClient` leaves alone.
enum DependencyEndpointIgnoredMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
#endif
