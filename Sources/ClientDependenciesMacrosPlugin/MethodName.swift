#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax

extension AttributeSyntax {
  /// What `@DependencyEndpoint(method: "name")` calls the method.
  ///
  /// - Throws: A diagnostic if it is no plain string or no name.
  var methodName: TokenSyntax? {
    get throws {
      guard let argument = methodArgument else { return nil }
      guard let name = argument.expression.plainString else {
        throw DiagnosticsError(diagnostics: [.methodIsNoLiteral(argument.expression)])
      }
      guard name.withoutBackticks.isIdentifier else {
        throw DiagnosticsError(diagnostics: [.methodIsNoName(argument.expression, name)])
      }
      return .identifier(name)
    }
  }

  var methodArgument: LabeledExprSyntax? {
    arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == "method" }
  }
}

extension ExprSyntax {
  /// The text of a string literal without interpolations.
  var plainString: String? {
    guard let literal = self.as(StringLiteralExprSyntax.self), literal.segments.count == 1 else {
      return nil
    }
    return literal.segments.first?.as(StringSegmentSyntax.self)?.content.text
  }

  /// Whether it is a call of `fatalError`.
  var isFatalError: Bool {
    let called = self.as(FunctionCallExprSyntax.self)?.calledExpression
    return called?.trimmedDescription == "fatalError"
      || called?.trimmedDescription == "Swift.fatalError"
  }
}
#endif
