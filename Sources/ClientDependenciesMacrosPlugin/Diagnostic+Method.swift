#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension Diagnostic {
  static func methodIsNoLiteral(_ expression: ExprSyntax) -> Diagnostic {
    Diagnostic(
      node: expression,
      message: Message(
        message: "'method' must be a string literal, because the macro cannot compute it",
        id: "methodIsNoLiteral"),
      fixIt: .replacing(
        expression, by: "\"<#name#>\"" as ExprSyntax, "Replace with a string literal"))
  }

  static func methodIsNoName(_ expression: ExprSyntax, _ name: String) -> Diagnostic {
    let letters = name.filter { $0 == "_" || $0.isLetter || $0.isNumber }
    let proposal = letters.isIdentifier ? letters : "<#name#>"
    return Diagnostic(
      node: expression,
      message: Message(
        message: "'method' must be the name of a function, which '\(name)' is not",
        id: "methodIsNoName"),
      fixIt: .replacing(
        expression, by: "\"\(raw: proposal)\"" as ExprSyntax, "Replace with '\(proposal)'"))
  }
}
#endif
