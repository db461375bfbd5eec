#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax

extension AttributeSyntax {
  /// What `@DependencyEndpoint(method: "name")` calls the method.
  var methodName: TokenSyntax? { methodArgument?.expression.name }

  var methodArgument: LabeledExprSyntax? {
    arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == "method" }
  }
}

/// What the author of a client may give a name to.
enum Named {
  case method, key

  /// The begin of a sentence about the name.
  var subject: String { self == .method ? "'method'" : "The name of a key" }
  var noun: String { self == .method ? "a function" : "a type" }
}

extension ExprSyntax {
  /// The name that a string literal gives.
  var name: TokenSyntax? {
    guard let plainString, plainString.withoutBackticks.isIdentifier else { return nil }
    return .identifier(plainString)
  }

  /// The reason for which this is no literal or gives no name.
  func problem(asNameOf named: Named) -> Diagnostic? {
    guard let plainString else { return .nameIsNoLiteral(self, of: named) }
    return name == nil ? .nameIsNoName(self, plainString, of: named) : nil
  }

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
