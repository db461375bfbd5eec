#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension Diagnostic {
  static func notAnEndpoint(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      """
      '@DependencyEndpoint' can only be attached to a 'var' whose type is written out and is a \
      function type or a type alias of one
      """, id: "notAnEndpoint", at: attribute, fixIt: .removing(attribute))
  }

  static func constant(_ endpoint: Endpoint) -> Diagnostic {
    let keyword = endpoint.property.bindingSpecifier
    return Diagnostic(
      "Endpoint '\(endpoint.name)' must be a 'var', so that tests can override it",
      id: "constant", at: keyword, fixIt: .replacing(keyword, by: .var))
  }

  static func notOfInstance(_ endpoint: Endpoint, _ modifier: DeclModifierSyntax) -> Diagnostic {
    Diagnostic(
      """
      Endpoint '\(endpoint.name)' cannot be '\(modifier.name.text)', because each client has \
      its own endpoints, which a test can override
      """, id: "notOfInstance", at: modifier, fixIt: .removing(modifier))
  }

  static func accessors(_ endpoint: Endpoint, _ accessors: AccessorBlockSyntax) -> Diagnostic {
    var binding = endpoint.binding
    binding.accessorBlock = nil
    return Diagnostic(
      """
      Endpoint '\(endpoint.name)' cannot have its own accessors, because \
      '@DependencyEndpoint' writes its accessors
      """, id: "accessors", at: accessors,
      fixIt: .replacing(
        endpoint.binding, by: binding.with(\.trailingTrivia, []), "Remove the accessors"))
  }

  static func defaultIsMissing(_ endpoint: Endpoint) -> Diagnostic {
    let value = endpoint.defaultToFillIn
    return Diagnostic(
      """
      Endpoint '\(endpoint.name)' needs a default, because it returns a value and cannot throw

      An unimplemented call reports an issue and then returns what the default \
      gives. Any value will do: 'false' where it returns a Boolean, '[]' where it returns an \
      array.
      """, id: "defaultIsMissing", at: endpoint.binding,
      fixIt: .replacing(
        endpoint.binding, by: endpoint.binding.with(initialValue: value), "Insert '= \(value)'"))
  }

  static func defaultIsNoClosure(
    _ endpoint: Endpoint, _ initializer: InitializerClauseSyntax
  ) -> Diagnostic {
    let isUnimplemented =
      initializer.value.as(FunctionCallExprSyntax.self)?.calledExpression.trimmedDescription
      .hasSuffix("unimplemented") == true
    let advice =
      isUnimplemented
      ? "; 'unimplemented' is not needed, the macro reports the issue" : ""
    let value = endpoint.hasWayOut ? nil : endpoint.defaultToFillIn
    return Diagnostic(
      "The default of endpoint '\(endpoint.name)' must be a closure literal\(advice)",
      id: "defaultIsNoClosure", at: initializer.value,
      fixIt: .replacing(
        endpoint.binding, by: endpoint.binding.with(initialValue: value),
        value.map { "Replace with '\($0)'" } ?? "Remove '= \(initializer.value.trimmed)'"))
  }

  static func defaultTraps(
    _ endpoint: Endpoint, _ statement: CodeBlockItemSyntax, _ expression: ExprSyntax
  ) -> Diagnostic {
    let wrapped: ExprSyntax = "{ \(expression.trimmed) }()"
    return Diagnostic(
      """
      The default of endpoint '\(endpoint.name)' ends the process, and with it all tests and \
      previews

      An unimplemented call reports an issue first, so that any value will do \
      here: 'false' where it returns a Boolean, '[]' where it returns an array.
      """, id: "defaultTraps", severity: .warning, at: expression,
      fixIt: .replacing(
        statement, by: statement.with(\.item, .expr(wrapped)).with(\.trailingTrivia, .space),
        "Wrap it in a closure that is called, to silence this warning"))
  }

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
      """
      Endpoint '\(endpoint.name)' gets no method with these labels, because a method cannot \
      pass variadic arguments on; take an array instead
      """, id: "labelsOfVariadic", severity: .warning, at: function.parameters,
      fixIt: .replacing(function, by: bare, "Remove the labels to silence this warning"))
  }

  private static func noMethod(_ attribute: AttributeSyntax, _ message: String) -> Diagnostic {
    var bare = attribute
    bare.leftParen = nil
    bare.arguments = nil
    bare.rightParen = nil
    bare.trailingTrivia = attribute.trailingTrivia
    return Diagnostic(
      message, id: "methodHasNoEffect",
      at: attribute.methodArgument.map { Syntax($0) } ?? Syntax(attribute),
      fixIt: .replacing(attribute, by: bare, "Remove the arguments"))
  }

  static func nameIsNoLiteral(_ expression: ExprSyntax, of named: Named) -> Diagnostic {
    Diagnostic(
      "\(named.subject) must be a string literal, because the macro cannot compute it",
      id: "\(named)IsNoLiteral", at: expression,
      fixIt: .replacing(
        expression, by: "\"<#name#>\"" as ExprSyntax, "Replace with a string literal"))
  }

  static func nameIsNoName(
    _ expression: ExprSyntax, _ name: String, of named: Named
  ) -> Diagnostic {
    let letters = name.filter { $0 == "_" || $0.isLetter || $0.isNumber }
    let proposal = letters.isIdentifier ? letters : "<#name#>"
    return Diagnostic(
      "\(named.subject) must be the name of \(named.noun), which '\(name)' is not",
      id: "\(named)IsNoName", at: expression,
      fixIt: .replacing(
        expression, by: "\"\(raw: proposal)\"" as ExprSyntax, "Replace with '\(proposal)'"))
  }
}
#endif
