import SwiftCompilerPlugin
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

@main struct ReducersPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    CasePathableMacro.self, MarkerMacro.self, ObservableStateMacro.self, PresentsMacro.self,
    ReducerMacro.self, ViewActionMacro.self,
  ]
}

/// A diagnostic about an incorrect use of a macro.
struct ReducerDiagnostic: DiagnosticMessage {
  var message: String
  var id: String
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID { MessageID(domain: "ReducersMacros", id: id) }
}

extension MacroExpansionContext {
  func report(_ message: String, id: String, at node: some SyntaxProtocol) {
    diagnose(Diagnostic(node: Syntax(node), message: ReducerDiagnostic(message: message, id: id)))
  }
}

extension DeclModifierListSyntax {
  /// `public ` or `package ` if the declaration has it, to repeat it in members.
  var accessPrefix: String {
    let wide = first { [.keyword(.public), .keyword(.package)].contains($0.name.tokenKind) }
    return wide.map { "\($0.name.text) " } ?? ""
  }
}

extension DeclGroupSyntax {
  /// The name of the declared type.
  var typeName: String {
    self.as(ClassDeclSyntax.self)?.name.text ?? self.as(ActorDeclSyntax.self)?.name.text
      ?? "Feature"
  }
}

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

/// Lets a screen send the actions of its feature that belong to views.
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
