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
  /// Keeps a new implementation.
  ///
  /// The compiler drops the observers of a property that a macro gives accessors, so they run here.
  fileprivate var setter: AccessorDeclSyntax {
    let statements =
      [observer(.willSet, of: "newValue"), didSet.map { _ in "let _oldValue = \(identifier)" }]
      + ["\(storage) = newValue", observer(.didSet, of: "oldValue", passing: "_oldValue")]
    return "set {\n\(raw: statements.compactMap(\.self).joined(separator: "\n"))\n}"
  }

  private var didSet: AccessorDeclSyntax? { binding.observer(.didSet) }

  /// A function of the observer's body, which may return early, and its call.
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
  /// Without a default only: Swift would pass the default through it into each new value, so that
  /// the endpoint would count as implemented. Without it Swift drops the default, which the
  /// stand-in has.
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
  /// The `willSet` or `didSet` that is written.
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
    [endpoint.problemOfDefault, endpoint.problemOfMethod(node)].compactMap(\.self)
      .forEach(context.diagnose)
    endpoint.warnings(method: node.methodName).forEach(context.diagnose)
    return endpoint.methods(named: node.methodName, isSendable: context.isInSendableType)
      + [
        endpoint.storageDeclaration, endpoint.standInDeclaration,
        endpoint.unimplementedDeclaration,
      ]
  }
}

extension MacroExpansionContext {
  /// Whether the enclosing type declares that it is `Sendable`; the compiler's inference is enough
  /// for the compiler only.
  fileprivate var isInSendableType: Bool {
    let type = lexicalContext.first?.asProtocol((any DeclGroupSyntax).self)
    return type?.inheritanceClause?.inheritedTypes.contains { $0.type.names("Sendable") } == true
  }
}

extension TypeSyntax {
  /// Whether it is or contains the protocol of this name, as `@unchecked Sendable` does.
  fileprivate func names(_ name: String) -> Bool {
    if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.names(name) }
    if let type = self.as(CompositionTypeSyntax.self) {
      return type.elements.contains { $0.type.names(name) }
    }
    return lastName == name
  }
}

/// Marks a property that `@DependencyClient` leaves alone.
enum DependencyEndpointIgnoredMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// The default of an initializer's parameter that may be an endpoint.
///
/// It is expanded where the initializer is called without the argument, and only there it must
/// compile: which it does for a function. The closure has two statements so that its type is that
/// of the parameter exactly; one expression could be any function that converts to it.
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
