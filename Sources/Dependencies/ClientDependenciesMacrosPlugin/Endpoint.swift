#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A property that holds one function of a client.
struct Endpoint {
  var property: VariableDeclSyntax
  var binding: PatternBindingSyntax
  /// The name as written, with its backticks.
  var identifier: TokenSyntax
  var type: TypeSyntax
  /// The function type; nil if a type alias hides it.
  var function: FunctionTypeSyntax?
  /// Whether other modules may inline calls of the endpoint, because it and the enclosing type are
  /// public.
  var isInlinable: Bool

  init?(_ declaration: some DeclSyntaxProtocol, in context: [Syntax] = []) {
    guard let property = declaration.as(VariableDeclSyntax.self),
      let binding = property.bindings.first,
      let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed,
      let type = binding.typeAnnotation?.type.trimmed
    else { return nil }
    self.property = property
    self.binding = binding
    self.identifier = identifier
    self.type = type
    function = type.functionType
    isInlinable =
      property.modifiers.accessLevel == .public && context.count == 1
      && context.first?.as(StructDeclSyntax.self)?.modifiers.accessLevel == .public
  }
}

extension Endpoint {
  /// The human-readable name, without backticks.
  var name: String { identifier.text.withoutBackticks }

  /// The name of the stored implementation, which is nil if unimplemented.
  var storage: TokenSyntax { Self.storage(of: identifier) }
  /// The name of the function that returns an unimplemented closure.
  var standIn: TokenSyntax { Self.name(for: identifier, prefix: "_standIn_") }
  /// The name of the function that makes the closure from an `_UnimplementedEndpoint`.
  var unimplemented: TokenSyntax { Self.name(for: identifier, prefix: "_unimplemented_") }

  static func storage(of identifier: TokenSyntax) -> TokenSyntax {
    name(for: identifier, prefix: "_implementation_")
  }

  private static func name(for identifier: TokenSyntax, prefix: String) -> TokenSyntax {
    let name = prefix + identifier.text.withoutBackticks
    return .identifier(name.isIdentifier ? name : "`\(name)`")
  }

  /// The access level of the declarations that the method uses.
  var hidden: String { isInlinable ? "@usableFromInline internal" : "private" }

  var isConstant: Bool { property.bindingSpecifier.tokenKind == .keyword(.let) }

  /// Whether an unimplemented call can throw or return without a default from the author.
  var hasWayOut: Bool {
    guard let function else { return true }
    return function.canThrow || function.returnsVoid || function.returnsOptional
  }
}

extension Endpoint {
  /// Returns the reason that this cannot be an endpoint.
  func problem(_ attribute: AttributeSyntax) -> Diagnostic? {
    if isConstant { return .constant(self) }
    if let modifier = property.modifiers.ofNoInstance { return .notOfInstance(self, modifier) }
    if binding.isComputed, let accessors = binding.accessorBlock {
      return .accessors(self, accessors)
    }
    return function == nil && type.isNoFunction ? .notAnEndpoint(attribute) : nil
  }

  /// The error that a default is not a closure, or that a required default is missing.
  var problemOfDefault: Diagnostic? {
    if let initializer = binding.initializer, !initializer.value.is(ClosureExprSyntax.self) {
      return .defaultIsNoClosure(self, initializer)
    }
    return binding.initializer == nil && !hasWayOut ? .defaultIsMissing(self) : nil
  }

  /// Returns the problem in the attribute's arguments.
  func problemOfMethod(_ attribute: AttributeSyntax) -> Diagnostic? {
    guard let argument = attribute.methodArgument else { return nil }
    if let problem = argument.expression.problem(asNameOf: .method) { return problem }
    guard let function else { return .methodOfAlias(self, attribute) }
    return function.isForwardable ? nil : .methodOfVariadic(self, attribute)
  }

  /// Returns the warning that labels have no effect without a method.
  func warningOfLabels(method: TokenSyntax?) -> Diagnostic? {
    guard let function = binding.typeAnnotation?.type.functionType, function.hasLabels,
      !function.isForwardable, method == nil
    else { return nil }
    return .labelsOfVariadic(self, function)
  }

  /// The warning that the default only calls `fatalError`, which ends the process.
  var warningOfTrap: Diagnostic? {
    guard let statements = binding.initializer?.value.as(ClosureExprSyntax.self)?.statements,
      let statement = statements.first, statements.count == 1,
      let expression = statement.item.as(ExprSyntax.self), expression.isFatalError
    else { return nil }
    return .defaultTraps(self, statement, expression)
  }

  /// `{ _, _ in <#Bool#> }`, which the author completes.
  var defaultToFillIn: ExprSyntax {
    guard let function else { return "{ <#default value#> }" }
    let head = function.ignoredParameters
    return "{\(raw: head) <#\(raw: function.returnClause.type.trimmedDescription)#> }"
  }
}

extension TypeSyntax {
  /// Whether the type cannot be an alias of a function type: `[Int]`, `Int?`, `(Int, Int)`.
  var isNoFunction: Bool {
    if functionType != nil { return false }
    if let attributed = self.as(AttributedTypeSyntax.self) {
      return attributed.baseType.isNoFunction
    }
    return lastName == nil
      || self.as(IdentifierTypeSyntax.self).map { ClientNames.wellKnown.contains($0.name.text) }
        == true
  }
}

/// The name, in expansions, of the parameter that reports an unimplemented call.
private let report: TokenSyntax = "__endpoint"

extension Endpoint {
  /// The property that stores the implementation.
  var storageDeclaration: DeclSyntax {
    "\(raw: hidden) var \(storage): (\(type))? = nil"
  }

  /// The declaration of the function that returns an unimplemented closure.
  ///
  /// The function's parameters pass the location of the issue. The function is not inlined, which
  /// keeps the code of implemented calls short.
  var standInDeclaration: DeclSyntax {
    """
    @inline(never) \(raw: hidden) func \(standIn)(\
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, \
    line: UInt = #line, column: UInt = #column\
    ) -> \(type) {
    Self.\(unimplemented)(
    ClientDependenciesMacros._UnimplementedEndpoint(
    "\\(Self.self).\(raw: name)", from: _issueOrigin, \
    fileID: fileID, filePath: filePath, line: line, column: column))
    }
    """
  }

  /// The declaration of the function that makes the closure from an `_UnimplementedEndpoint`.
  var unimplementedDeclaration: DeclSyntax {
    """
    private static func \(unimplemented)(\
    _ \(report): ClientDependenciesMacros._UnimplementedEndpoint\
    ) -> \(type) {
    return \(standInClosure)
    }
    """
  }

  private var standInClosure: ExprSyntax {
    if let given = binding.initializer?.value.as(ClosureExprSyntax.self) {
      return ExprSyntax(given.trimmed.reporting(returnsVoid: function?.returnsVoid == true))
    }
    guard let function else { return "\(report).closure(like: nil as (\(type))?)" }
    return "{\(raw: function.ignoredParameters)\n\(raw: wayOut(of: function))\n}"
  }

  private func wayOut(of function: FunctionTypeSyntax) -> String {
    if function.throwsAnyError { return "throw \(report).report()" }
    if function.canThrow, let error = function.thrownType {
      return "return try \(report).outcome(throwing: (\(error)).self)"
    }
    if function.returnsVoid { return "\(report).report()" }
    if function.returnsOptional { return "\(report).report()\nreturn nil" }
    // The missing default has already been diagnosed; this result avoids follow-up errors.
    return "Swift.fatalError()"
  }
}

extension FunctionTypeSyntax {
  /// The beginning of a closure that ignores its parameters, such as `_, _ in`; empty without
  /// parameters.
  var ignoredParameters: String {
    parameters.isEmpty ? "" : " \(parameters.map { _ in "_" }.joined(separator: ", ")) in"
  }
}

extension ClosureExprSyntax {
  /// Returns the closure with a report as its first statement.
  fileprivate func reporting(returnsVoid: Bool) -> ClosureExprSyntax {
    // Without `return`, a closure on the line after `report()` would be parsed as the call's
    // trailing closure.
    let beginsWithClosure =
      statements.count == 1 && statements.firstToken(viewMode: .sourceAccurate)?.text == "{"
    var statements = (returnsVoid && !beginsWithClosure ? statements : statements.returning)
      .map(\.trimmed)
    statements.insert("\(report).report()", at: 0)
    var closure = self
    closure.statements = CodeBlockItemListSyntax(
      statements.map { $0.with(\.leadingTrivia, .newline) })
    closure.rightBrace = .rightBraceToken(leadingTrivia: .newline)
    return closure
  }
}

extension Endpoint {
  /// Returns the methods with the closure's argument labels.
  ///
  /// The first method is for calls, and its issues name the caller's line. The second method has no
  /// additional parameters, so that it can be passed as a function value.
  ///
  /// If `isSendable` is true, the methods may be `@Sendable`, as in a `Sendable` type.
  func methods(named method: TokenSyntax?, isSendable: Bool) -> [DeclSyntax] {
    guard let function, function.isForwardable, function.hasLabels || method != nil else {
      return []
    }
    let name = method ?? identifier
    let parameters = function.methodParameters
    let caller = [
      "fileID: StaticString = #fileID", "filePath: StaticString = #filePath",
      "line: UInt = #line", "column: UInt = #column",
    ]
    return [
      self.method(
        name, of: function, head: head, parameters: parameters + caller,
        reportingAt: "fileID: fileID, filePath: filePath, line: line, column: column"),
      self.method(
        name, of: function, head: valueHead(isSendable: isSendable),
        parameters: parameters, reportingAt: ""),
    ]
  }

  /// Returns a method that calls the stored closure, if there is one.
  ///
  /// The method tests the storage and calls the closure in it, without binding the closure to a
  /// name, because a binding would retain the closure.
  private func method(
    _ name: TokenSyntax, of function: FunctionTypeSyntax, head: String, parameters: [String],
    reportingAt location: String
  ) -> DeclSyntax {
    let effects = function.effectSpecifiers.map { " \($0.trimmed)" } ?? ""
    let marks = (function.canThrow ? "try " : "") + (function.isAsync ? "await " : "")
    let arguments = function.forwardedArguments
    return """
      \(raw: head)func \(name)(\(raw: parameters.joined(separator: ", ")))\(raw: effects) \
      \(function.returnClause.trimmed) {
      if \(storage) != nil {
      return \(raw: marks)\(storage)!(\(raw: arguments))
      }
      return \(raw: marks)\(standIn)(\(raw: location))(\(raw: arguments))
      }
      """
  }

  private var head: String { head(attributes: isInlinable ? ["@inlinable"] : []) }

  private func valueHead(isSendable: Bool) -> String {
    // A function on a global actor is implicitly `Sendable` and must not be marked.
    let isMarked = isSendable && type.functionAttributes.map(\.name) == ["Sendable"]
    return head(attributes: ["@_disfavoredOverload"] + (isMarked ? ["@Sendable"] : []))
  }

  private func head(attributes further: [String]) -> String {
    let ofType = type.functionAttributes.filter(\.isOfMethods).map(\.trimmedDescription)
    let attributes = property.attributes.availability + ofType + further
    let modifiers = property.modifiers.accessLevels.map(\.rawValue) + type.isolation
    return (attributes + modifiers).map { "\($0) " }.joined()
  }
}

extension FunctionTypeSyntax {
  fileprivate var methodParameters: [String] {
    parameters.enumerated().map { index, parameter in
      "\((parameter.secondName ?? .wildcardToken()).trimmed) p\(index): \(parameter.type.trimmed)"
    }
  }

  fileprivate var forwardedArguments: String {
    parameters.enumerated().map { index, parameter in
      if parameter.type.isInout { return "&p\(index)" }
      let isAutoclosure = parameter.type.functionAttributes.contains { $0.name == "autoclosure" }
      return isAutoclosure ? "p\(index)()" : "p\(index)"
    }
    .joined(separator: ", ")
  }
}

extension TypeSyntax {
  /// `nonisolated(nonsending)`, if the function runs on its caller's actor.
  fileprivate var isolation: [String] {
    let specifiers = self.as(AttributedTypeSyntax.self)?.specifiers
    return specifiers?.compactMap { $0.as(NonisolatedTypeSpecifierSyntax.self) }
      .map(\.trimmedDescription) ?? []
  }

  fileprivate var isInout: Bool {
    self.as(AttributedTypeSyntax.self)?.specifiers.contains {
      $0.as(SimpleTypeSpecifierSyntax.self)?.specifier.tokenKind == .keyword(.inout)
    } ?? false
  }
}
#endif
