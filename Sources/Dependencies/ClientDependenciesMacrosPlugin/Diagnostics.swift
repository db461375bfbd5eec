#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A diagnostic about an incorrect use of a macro, or its fix-it.
struct ClientDiagnostic: DiagnosticMessage, FixItMessage {
  var message: String
  var id: String
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID {
    MessageID(domain: "ClientDependenciesMacros", id: id)
  }

  var fixItID: MessageID { diagnosticID }
}

extension Diagnostic {
  init(
    _ message: String, id: String, severity: DiagnosticSeverity = .error,
    at node: some SyntaxProtocol, fixIt: FixIt
  ) {
    self.init(
      node: node, message: ClientDiagnostic(message: message, id: id, severity: severity),
      fixIt: fixIt)
  }
}

extension FixIt {
  static func replacing(
    _ old: some SyntaxProtocol, by new: some SyntaxProtocol, _ message: String
  ) -> FixIt {
    FixIt(
      message: ClientDiagnostic(message: message, id: "fix"),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }

  static func replacing(_ old: TokenSyntax, by keyword: Keyword) -> FixIt {
    let new = old.with(\.tokenKind, .keyword(keyword))
    return .replacing(old, by: new, "Replace '\(old.text)' with '\(new.text)'")
  }

  /// Removes an attribute or a modifier from its declaration.
  static func removing(_ word: some SyntaxProtocol) -> FixIt {
    .replacing(
      word, by: TokenSyntax.identifier("", leadingTrivia: word.leadingTrivia),
      "Remove '\(word.trimmed)'")
  }
}

extension PatternBindingSyntax {
  /// Returns the binding with another initial value, or without an initial value.
  func with(initialValue value: ExprSyntax?) -> PatternBindingSyntax {
    var binding = self
    binding.typeAnnotation?.trailingTrivia = []
    binding.initializer = value.map {
      InitializerClauseSyntax(
        equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: $0)
    }
    return binding
  }
}

extension DeclSyntaxProtocol {
  /// Accessors for a property that has already caused a diagnostic.
  ///
  /// They avoid a second error, about missing accessors.
  var accessorsDespiteProblem: [AccessorDeclSyntax] {
    guard let property = self.as(VariableDeclSyntax.self),
      property.bindingSpecifier.tokenKind == .keyword(.var), property.bindings.count == 1,
      property.bindings.first?.accessorBlock == nil
    else { return [] }
    return ["get {\nSwift.fatalError()\n}"]
  }
}

extension MacroExpansionContext {
  /// Returns the body of a function that is compiled as a check, but never called.
  ///
  /// The body calls functions of `_Checks`, and an error in it names the line of `node`. The first
  /// call checks the isolation of the function, which is that of the enclosing declaration.
  func checks(in function: String, on node: some SyntaxProtocol, _ calls: [String] = []) -> String {
    let checks = "ClientDependenciesMacros._Checks."
    let calls =
      ["let isolation = \(checks)isolation(of: \(function))"]
      + (["isNonisolated(isolation)"] + calls).map { checks + $0 }
    guard let place = location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath) else {
      return calls.joined(separator: "\n")
    }
    let line = "#sourceLocation(file: \(place.file), line: \(place.line))"
    return (calls.flatMap { [line, $0] } + ["#sourceLocation()"]).joined(separator: "\n")
  }
}

extension Diagnostic {
  static func notAStruct(
    _ attribute: AttributeSyntax, _ declaration: some DeclGroupSyntax
  ) -> Diagnostic {
    let keyword = declaration.keyword
    return Diagnostic(
      """
      '@DependencyClient' can only be attached to a struct, whose copies a test can change one \
      endpoint of
      """, id: "notAStruct", at: keyword.map { Syntax($0) } ?? Syntax(attribute),
      fixIt: keyword.map { FixIt.replacing($0, by: .struct) } ?? .removing(attribute))
  }

  static func typeIsMissing(_ property: ClientProperty) -> Diagnostic {
    var binding = property.binding
    binding.pattern.trailingTrivia = []
    binding.typeAnnotation = TypeAnnotationSyntax(
      colon: .colonToken(trailingTrivia: .space), type: IdentifierTypeSyntax(name: "<#Type#>"),
      trailingTrivia: .space)
    return Diagnostic(
      """
      '\(property.identifier.text)' needs a type annotation, because '@DependencyClient' \
      writes an initializer with it
      """, id: "typeIsMissing", at: property.binding,
      fixIt: .replacing(property.binding, by: binding, "Insert ': <#Type#>'"))
  }
}

extension DeclGroupSyntax {
  /// The keyword `class` or `actor`, which the fix-it replaces with `struct`.
  fileprivate var keyword: TokenSyntax? {
    self.as(ClassDeclSyntax.self)?.classKeyword ?? self.as(ActorDeclSyntax.self)?.actorKeyword
  }
}

extension Diagnostic {
  static func notAnEntry(
    _ attribute: AttributeSyntax, _ declaration: some DeclSyntaxProtocol
  ) -> Diagnostic {
    let keyword = declaration.as(VariableDeclSyntax.self)?.bindingSpecifier
    let constant = keyword.flatMap { $0.tokenKind == .keyword(.let) ? $0 : nil }
    return Diagnostic(
      """
      '@DependencyEntry' can only be attached to a stored 'var' in an extension of \
      'DependencyValues'
      """, id: "notAnEntry", at: attribute,
      fixIt: constant.map { FixIt.replacing($0, by: .var) } ?? .removing(attribute))
  }

  static func entryOfNoInstance(_ modifier: DeclModifierSyntax) -> Diagnostic {
    Diagnostic(
      """
      '@DependencyEntry' cannot be attached to a '\(modifier.name.text)' property, because each \
      'DependencyValues' has its own values
      """, id: "entryOfNoInstance", at: modifier, fixIt: .removing(modifier))
  }

  static func entryWithoutValue(_ binding: PatternBindingSyntax) -> Diagnostic {
    let value = EditorPlaceholderExprSyntax(placeholder: .identifier("<#test value#>"))
    return Diagnostic(
      """
      '@DependencyEntry' needs the value of tests as the property's initial value, or a \
      'liveValue' to fall back on
      """, id: "entryWithoutValue", at: binding,
      fixIt: .replacing(
        binding, by: binding.with(initialValue: ExprSyntax(value)), "Insert '= <#test value#>'"))
  }
}

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
