#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Completes a struct whose properties are the functions of a client.
enum DependencyClientMacro {}

extension DependencyClientMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let client = declaration.as(StructDeclSyntax.self),
      let property = member.as(VariableDeclSyntax.self),
      !property.attributes.contains("DependencyEndpoint"),
      property.isEndpoint(names: ClientNames(client))
    else { return [] }
    return ["@DependencyEndpoint"]
  }
}

extension DependencyClientMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(StructDeclSyntax.self) else {
      context.diagnose(.notAStruct(node, declaration))
      return []
    }
    let client = Client(declaration: declaration)
    let unknown = client.propertiesWithoutType
    unknown.map(Diagnostic.typeIsMissing).forEach(context.diagnose)
    guard unknown.isEmpty, client.mayHaveEndpoints else { return [] }
    return [client.origin] + client.isolationCheck(in: context) + client.initialisers
  }
}
#endif
