#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension Diagnostic {
  static func notAnEndpoint(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      node: attribute,
      message: Message(
        message: """
          '@DependencyEndpoint' can only be attached to a 'var' whose type is written out and is a \
          function type or a type alias of one
          """, id: "notAnEndpoint"),
      fixIt: .removing(attribute))
  }

  static func constant(_ endpoint: Endpoint) -> Diagnostic {
    let keyword = endpoint.property.bindingSpecifier
    return Diagnostic(
      node: keyword,
      message: Message(
        message: """
          Endpoint '\(endpoint.name)' must be a 'var', so that tests can override it
          """, id: "constant"),
      fixIt: .replacing(
        keyword, by: keyword.with(\.tokenKind, .keyword(.var)), "Replace 'let' with 'var'"))
  }

  static func notOfInstance(_ endpoint: Endpoint, _ modifier: DeclModifierSyntax) -> Diagnostic {
    Diagnostic(
      node: modifier,
      message: Message(
        message: """
          Endpoint '\(endpoint.name)' cannot be '\(modifier.name.text)', because each client has \
          its own endpoints, which a test can override
          """, id: "notOfInstance"),
      fixIt: .removing(modifier))
  }

  static func accessors(_ endpoint: Endpoint, _ accessors: AccessorBlockSyntax) -> Diagnostic {
    var binding = endpoint.binding
    binding.accessorBlock = nil
    return Diagnostic(
      node: accessors,
      message: Message(
        message: """
          Endpoint '\(endpoint.name)' cannot have its own accessors, because \
          '@DependencyEndpoint' writes its accessors
          """, id: "accessors"),
      fixIt: .replacing(
        endpoint.binding, by: binding.with(\.trailingTrivia, []), "Remove the accessors"))
  }

  static func defaultIsMissing(_ endpoint: Endpoint) -> Diagnostic {
    let value = endpoint.defaultToFillIn
    return Diagnostic(
      node: endpoint.binding,
      message: Message(
        message: """
          Endpoint '\(endpoint.name)' needs a default, because it returns a value and cannot throw

          A call that nobody has implemented reports an issue and then returns what the default \
          gives. Any value will do: 'false' where it returns a Boolean, '[]' where it returns an \
          array.
          """, id: "defaultIsMissing"),
      fixIt: .replacing(
        endpoint.binding, by: endpoint.with(default: value), "Insert '= \(value)'"))
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
    let change: FixIt
    if endpoint.hasWayOut {
      change = .replacing(
        endpoint.binding, by: endpoint.with(default: nil),
        "Remove '= \(initializer.value.trimmed)'")
    } else {
      let value = endpoint.defaultToFillIn
      change = .replacing(
        endpoint.binding, by: endpoint.with(default: value), "Replace with '\(value)'")
    }
    return Diagnostic(
      node: initializer.value,
      message: Message(
        message: "The default of endpoint '\(endpoint.name)' must be a closure literal\(advice)",
        id: "defaultIsNoClosure"),
      fixIt: change)
  }

  static func defaultTraps(
    _ endpoint: Endpoint, _ statement: CodeBlockItemSyntax, _ expression: ExprSyntax
  ) -> Diagnostic {
    let wrapped: ExprSyntax = "{ \(expression.trimmed) }()"
    return Diagnostic(
      node: expression,
      message: Message(
        message: """
          The default of endpoint '\(endpoint.name)' ends the process, and with it all tests and \
          previews

          A call that nobody has implemented reports an issue first, so that any value will do \
          here: 'false' where it returns a Boolean, '[]' where it returns an array.
          """, id: "defaultTraps", severity: .warning),
      fixIt: .replacing(
        statement, by: statement.with(\.item, .expr(wrapped)).with(\.trailingTrivia, .space),
        "Wrap it in a closure that is called, to silence this warning"))
  }
}

extension Endpoint {
  /// The binding with another default, or without one.
  fileprivate func with(default value: ExprSyntax?) -> PatternBindingSyntax {
    var binding = binding
    binding.typeAnnotation?.trailingTrivia = []
    binding.initializer = value.map {
      InitializerClauseSyntax(
        equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: $0)
    }
    return binding
  }
}

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
