import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Marks observable state.
///
/// It generates no code, because a store observes each value of any state.
enum ObservableStateMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !declaration.is(StructDeclSyntax.self), !declaration.is(EnumDeclSyntax.self) {
      context.report(
        "'@ObservableState' marks a struct or an enumeration: write 'struct State'",
        id: "notAState", at: node)
    }
    return []
  }
}

/// Marks a declaration for another macro, and generates no code.
enum MarkerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// Lets a screen send its feature's actions of the case `view`.
enum ViewActionMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let members = declaration.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
    let names = members.flatMap(\.bindings).map(\.pattern.trimmedDescription)
    if !names.contains("store") {
      context.report(
        "'@ViewAction' sends to the property 'store': add 'let store: StoreOf<Feature>'",
        id: "noStore", at: node)
    }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): Reducers.ViewActionSending {}")]
  }
}
