#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Makes a property with a function type an endpoint: it is unimplemented until it is set.
enum DependencyEndpointMacro {}

extension DependencyEndpointMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let endpoint = Endpoint(declaration), endpoint.problem(node) == nil else {
      return declaration.accessorsDespiteProblem
    }
    return endpoint.initAccessor + [
      """
      get {
      if \(endpoint.storage) != nil {
      return \(endpoint.storage)!
      }
      return \(endpoint.standIn)()
      }
      """,
      endpoint.setter,
    ]
  }
}

extension Endpoint {
  /// The setter, which stores a new implementation.
  ///
  /// It runs the observers, which the compiler drops when a macro adds accessors.
  fileprivate var setter: AccessorDeclSyntax {
    let statements =
      [observer(.willSet, of: "newValue"), didSet.map { _ in "let _oldValue = \(identifier)" }]
      + ["\(storage) = newValue", observer(.didSet, of: "oldValue", passing: "_oldValue")]
    return "set {\n\(raw: statements.compactMap(\.self).joined(separator: "\n"))\n}"
  }

  private var didSet: AccessorDeclSyntax? { binding.observer(.didSet) }

  /// Returns a local function with the observer's body, and its call.
  ///
  /// The body is not inlined, because a `return` in it would end the setter.
  private func observer(_ keyword: Keyword, of name: String, passing value: String? = nil)
    -> String?
  {
    guard let observer = binding.observer(keyword), let body = observer.body else { return nil }
    let name = observer.parameters?.name.text ?? name
    return """
      func _\(observer.accessorSpecifier.text)(_ \(name): \(type.escaping)) \(body.trimmed)
      _\(observer.accessorSpecifier.text)(\(value ?? "newValue"))
      """
  }

  /// Lets initializers set the endpoint before other properties.
  ///
  /// Only an endpoint without a default has this accessor. With a default, Swift would pass the
  /// default through the accessor into each new value, so the endpoint would count as implemented.
  fileprivate var initAccessor: [AccessorDeclSyntax] {
    guard binding.initializer == nil else { return [] }
    return [
      """
      @storageRestrictions(initializes: \(storage))
      init(initialValue) {
      \(storage) = initialValue
      }
      """
    ]
  }
}

extension PatternBindingSyntax {
  /// Returns the `willSet` or `didSet` observer; nil if there is none.
  fileprivate func observer(_ keyword: Keyword) -> AccessorDeclSyntax? {
    guard case .accessors(let accessors) = accessorBlock?.accessors else { return nil }
    return accessors.first { $0.accessorSpecifier.tokenKind == .keyword(keyword) }
  }
}

extension DependencyEndpointMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let endpoint = Endpoint(declaration, in: context.lexicalContext) else {
      context.diagnose(.notAnEndpoint(node))
      return []
    }
    if let problem = endpoint.problem(node) {
      context.diagnose(problem)
      return []
    }
    let problems = [
      endpoint.problemOfDefault, endpoint.problemOfMethod(node),
      endpoint.warningOfLabels(method: node.methodName), endpoint.warningOfTrap,
    ]
    problems.compactMap(\.self).forEach(context.diagnose)
    return endpoint.methods(named: node.methodName, isSendable: context.isInSendableType)
      + [
        endpoint.storageDeclaration, endpoint.standInDeclaration,
        endpoint.unimplementedDeclaration,
      ]
  }
}

extension MacroExpansionContext {
  /// Whether the enclosing type declares `Sendable`; a macro cannot see an inferred conformance.
  fileprivate var isInSendableType: Bool {
    let type = lexicalContext.first?.asProtocol((any DeclGroupSyntax).self)
    return type?.inheritanceClause?.inheritedTypes.contains { $0.type.names("Sendable") } == true
  }
}

extension TypeSyntax {
  /// Whether the type is the protocol `name` or contains `name`, as `@unchecked Sendable` does.
  fileprivate func names(_ name: String) -> Bool {
    if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.names(name) }
    if let type = self.as(CompositionTypeSyntax.self) {
      return type.elements.contains { $0.type.names(name) }
    }
    return lastName == name
  }
}

/// Marks a property that `@DependencyClient` ignores.
enum DependencyEndpointIgnoredMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// Makes the default argument of an initializer parameter whose type may be a function.
///
/// The macro is expanded only where a call omits the argument, and the expansion compiles only if
/// the parameter is a function. The closure in the expansion has two statements. If it had a single
/// expression, the compiler would convert the expression to the parameter's type.
enum UnimplementedEndpointMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    """
    ClientDependenciesMacros._UnimplementedEndpoint.standIn(\(node.arguments)) {
    let none = $1
    return $0.closure(like: none)
    }
    """
  }
}

extension AttributeSyntax {
  /// The method name in `@DependencyEndpoint(method: "name")`.
  var methodName: TokenSyntax? { methodArgument?.expression.name }

  var methodArgument: LabeledExprSyntax? {
    arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == "method" }
  }
}

/// A declaration that the author can name in an attribute.
enum Named {
  case method, key

  /// The subject of a diagnostic about the name.
  var subject: String { self == .method ? "'method'" : "The name of a key" }
  var noun: String { self == .method ? "a function" : "a type" }
}

extension ExprSyntax {
  /// The name in a string literal.
  var name: TokenSyntax? {
    guard let plainString, plainString.withoutBackticks.isIdentifier else { return nil }
    return .identifier(plainString)
  }

  /// Returns the reason that this is not a literal with a valid name.
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

  /// Whether the expression is a call of `fatalError`.
  var isFatalError: Bool {
    let called = self.as(FunctionCallExprSyntax.self)?.calledExpression
    return called?.trimmedDescription == "fatalError"
      || called?.trimmedDescription == "Swift.fatalError"
  }
}
#endif
