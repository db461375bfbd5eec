#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension Diagnostic {
  static func methodOfAlias(_ endpoint: Endpoint, _ attribute: AttributeSyntax) -> Diagnostic {
    noMethod(
      attribute,
      "'method' has no effect on endpoint '\(endpoint.name)', because its type does not show the "
        + "parameters that the method would have; write the function type out")
  }

  static func methodOfVariadic(_ endpoint: Endpoint, _ attribute: AttributeSyntax) -> Diagnostic {
    noMethod(
      attribute,
      "'method' has no effect on endpoint '\(endpoint.name)', because a method cannot pass "
        + "variadic arguments on")
  }

  static func labelsOfVariadic(
    _ endpoint: Endpoint, _ function: FunctionTypeSyntax
  ) -> Diagnostic {
    var bare = function
    bare.parameters = TupleTypeElementListSyntax(
      function.parameters.map {
        $0.with(\.firstName, nil).with(\.secondName, nil).with(\.colon, nil)
      })
    return Diagnostic(
      node: function.parameters,
      message: Message(
        message: """
          Endpoint '\(endpoint.name)' gets no method with these labels, because a method cannot \
          pass variadic arguments on; take an array instead
          """, id: "labelsOfVariadic", severity: .warning),
      fixIt: .replacing(function, by: bare, "Remove the labels to silence this warning"))
  }

  private static func noMethod(_ attribute: AttributeSyntax, _ message: String) -> Diagnostic {
    var bare = attribute
    bare.leftParen = nil
    bare.arguments = nil
    bare.rightParen = nil
    bare.trailingTrivia = attribute.trailingTrivia
    return Diagnostic(
      node: attribute.methodArgument.map { Syntax($0) } ?? Syntax(attribute),
      message: Message(message: message, id: "methodHasNoEffect"),
      fixIt: .replacing(attribute, by: bare, "Remove the arguments"))
  }

  static func nameIsNoLiteral(_ expression: ExprSyntax, of named: Named) -> Diagnostic {
    Diagnostic(
      node: expression,
      message: Message(
        message: "\(named.subject) must be a string literal, because the macro cannot compute it",
        id: "\(named)IsNoLiteral"),
      fixIt: .replacing(
        expression, by: "\"<#name#>\"" as ExprSyntax, "Replace with a string literal"))
  }

  static func nameIsNoName(
    _ expression: ExprSyntax, _ name: String, of named: Named
  ) -> Diagnostic {
    let letters = name.filter { $0 == "_" || $0.isLetter || $0.isNumber }
    let proposal = letters.isIdentifier ? letters : "<#name#>"
    return Diagnostic(
      node: expression,
      message: Message(
        message: "\(named.subject) must be the name of \(named.noun), which '\(name)' is not",
        id: "\(named)IsNoName"),
      fixIt: .replacing(
        expression, by: "\"\(raw: proposal)\"" as ExprSyntax, "Replace with '\(proposal)'"))
  }
}
#endif
