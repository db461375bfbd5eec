import SwiftCompilerPlugin
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

@main struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    CasePathableMacro.self, ObservableStateMacro.self, PresentsMacro.self, ReducerMacro.self,
  ]
}

/// What is wrong with how a macro is used.
struct Message: DiagnosticMessage {
  var message: String
  var id: String
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID { MessageID(domain: "ReducersMacros", id: id) }
}

extension MacroExpansionContext {
  func report(_ message: String, id: String, at node: some SyntaxProtocol) {
    diagnose(Diagnostic(node: Syntax(node), message: Message(message: message, id: id)))
  }
}

extension DeclModifierListSyntax {
  /// `public ` or `package `, if that is written here: what members need to be as visible.
  var accessPrefix: String {
    let wide = first { [.keyword(.public), .keyword(.package)].contains($0.name.tokenKind) }
    return wide.map { "\($0.name.text) " } ?? ""
  }
}

/// `@ObservableState`: nothing is added.
enum ObservableStateMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !declaration.is(StructDeclSyntax.self), !declaration.is(EnumDeclSyntax.self) {
      context.report(
        "@ObservableState marks a struct or an enumeration", id: "notAState", at: node)
    }
    return []
  }
}
