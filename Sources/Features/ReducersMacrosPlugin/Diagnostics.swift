import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

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
  /// The declaration's `public ` or `package ` modifier, for its members; otherwise empty.
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
