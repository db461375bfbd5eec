#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder

/// The access levels, from the narrowest to the widest.
enum AccessLevel: String, CaseIterable, Comparable {
  case `private`, `fileprivate`, `internal`, package, `public`

  static func < (left: Self, right: Self) -> Bool {
    allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
  }

  /// The keyword and a space, or nothing for the default level.
  var prefix: String { self == .internal ? "" : "\(rawValue) " }
}

extension DeclModifierListSyntax {
  /// The written access levels, without those of setters, such as `private(set)`.
  var accessLevels: [AccessLevel] {
    filter { $0.detail == nil }.compactMap { AccessLevel(rawValue: $0.name.text) }
  }

  var accessLevel: AccessLevel { accessLevels.first ?? .internal }

  /// The modifier `static`, `class`, or `lazy`; no initializer sets such a property.
  var ofNoInstance: DeclModifierSyntax? {
    first { [.keyword(.static), .keyword(.class), .keyword(.lazy)].contains($0.name.tokenKind) }
  }

  func contains(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) }
  }
}

extension AttributeSyntax {
  /// The last part of the name: `DependencyEndpoint` of
  /// `@ClientDependenciesMacros.DependencyEndpoint`.
  var name: String? { attributeName.lastName }

  /// Whether this attribute of a closure's type, such as a global actor, must be repeated on a
  /// method that replaces the closure.
  var isOfMethods: Bool {
    let ofTypesOnly: Set = ["Sendable", "autoclosure", "convention", "escaping", "isolated"]
    return name.map { !ofTypesOnly.contains($0) } ?? true
  }
}

extension AttributeListSyntax {
  func contains(_ name: String) -> Bool {
    contains { $0.as(AttributeSyntax.self)?.name == name }
  }

  /// The `@available(…)` attributes.
  var availability: [String] {
    compactMap { $0.as(AttributeSyntax.self) }.filter { $0.name == "available" }
      .map(\.trimmedDescription)
  }
}

extension String {
  var withoutBackticks: String {
    count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
  }

  /// Whether the text has the form of an identifier; keywords have this form, too.
  var isIdentifier: Bool {
    guard let first, first == "_" || first.isLetter else { return false }
    return dropFirst().allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
  }
}

extension CodeBlockItemListSyntax {
  /// The same statements, with an explicit `return` of a single expression.
  ///
  /// A closure's single expression needs `return` once another statement precedes it.
  var returning: CodeBlockItemListSyntax {
    guard count == 1, let statement = first else { return self }
    if statement.item.isValue, statement.item.as(ExprSyntax.self)?.isFatalError != true {
      let value: CodeBlockItemSyntax = "return \(statement.item.trimmed)"
      return [value.with(\.leadingTrivia, statement.leadingTrivia)]
    }
    guard case .decl(let declaration) = statement.item,
      let condition = declaration.as(IfConfigDeclSyntax.self)
    else { return self }
    return [statement.with(\.item, .decl(DeclSyntax(condition.returning)))]
  }

  /// Whether these statements produce a value or throw, without `return`.
  fileprivate var isValue: Bool {
    guard count == 1, let item = first?.item else { return false }
    if case .stmt(let statement) = item, statement.is(ThrowStmtSyntax.self) { return true }
    return item.isValue
  }
}

extension CodeBlockItemSyntax.Item {
  fileprivate var isValue: Bool {
    switch self {
    case .expr(let expression): expression.isValue
    case .stmt(let statement):
      statement.as(ExpressionStmtSyntax.self)?.expression.isValue == true
    case .decl: false
    }
  }
}

extension ExprSyntax {
  /// Whether the expression is a value, unlike an `if` or `switch` with `return` in its branches.
  fileprivate var isValue: Bool {
    switch self.as(ExprSyntaxEnum.self) {
    case .ifExpr(let choice): choice.isValue
    case .switchExpr(let choice):
      choice.cases.allSatisfy { $0.as(SwitchCaseSyntax.self)?.statements.isValue == true }
    default: true
    }
  }
}

extension IfExprSyntax {
  fileprivate var isValue: Bool {
    switch elseBody {
    case nil: false
    case .codeBlock(let block): body.statements.isValue && block.statements.isValue
    case .ifExpr(let choice): body.statements.isValue && choice.isValue
    }
  }
}

extension IfConfigDeclSyntax {
  /// The same `#if` block with an explicit `return` in each branch.
  fileprivate var returning: IfConfigDeclSyntax {
    let clauses = clauses.map { clause in
      guard case .statements(let statements) = clause.elements else { return clause }
      return clause.with(\.elements, .statements(statements.returning))
    }
    return with(\.clauses, IfConfigClauseListSyntax(clauses))
  }
}

extension TypeSyntax {
  /// The function type inside attributes and parentheses.
  var functionType: FunctionTypeSyntax? {
    if let function = self.as(FunctionTypeSyntax.self) { return function }
    if let attributed = self.as(AttributedTypeSyntax.self) {
      return attributed.baseType.functionType
    }
    guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 else { return nil }
    return tuple.elements.first?.type.functionType
  }

  /// The attributes of a function type, as in `@MainActor @Sendable () -> Void`.
  var functionAttributes: [AttributeSyntax] {
    guard let attributed = self.as(AttributedTypeSyntax.self) else { return [] }
    return attributed.attributes.compactMap { $0.as(AttributeSyntax.self)?.trimmed }
  }

  /// The function type with `@escaping`, for a parameter.
  var escaping: String {
    if let tuple = self.as(TupleTypeSyntax.self), let inner = tuple.elements.first?.type {
      return inner.escaping
    }
    guard let attributed = self.as(AttributedTypeSyntax.self) else { return "@escaping \(trimmed)" }
    return
      "\(attributed.specifiers)@escaping \(attributed.attributes)\(attributed.baseType.trimmed)"
  }

  /// Whether the type is written as an optional: `Int?`, `Int!`, `(Int?)` or `Optional<Int>`.
  var isOptional: Bool {
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.isOptional }
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
      return tuple.elements.first?.type.isOptional == true
    }
    return self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
      || lastName == "Optional"
  }

  /// The last part of a type's name: `Int` of `Swift.Int`.
  var lastName: String? {
    self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text
  }
}

extension FunctionTypeSyntax {
  /// The error that `throws(E)` names.
  var thrownType: TypeSyntax? { effectSpecifiers?.throwsClause?.type?.trimmed }

  var canThrow: Bool {
    effectSpecifiers?.throwsClause != nil && thrownType?.lastName != "Never"
  }

  /// Whether the function can throw any error, including the error of an unimplemented call.
  var throwsAnyError: Bool {
    guard canThrow else { return false }
    guard let thrownType else { return true }
    guard let existential = thrownType.as(SomeOrAnyTypeSyntax.self) else { return false }
    return existential.constraint.lastName == "Error"
  }

  var isAsync: Bool { effectSpecifiers?.asyncSpecifier != nil }

  var returnsVoid: Bool {
    let type = returnClause.type
    return type.lastName == "Void" || type.as(TupleTypeSyntax.self)?.elements.isEmpty == true
  }

  var returnsOptional: Bool { returnClause.type.isOptional }

  /// Whether any parameter has a label, as in `(_ url: URL) -> Void`.
  var hasLabels: Bool { parameters.contains { $0.secondName != nil } }

  /// Whether a method can forward the parameters; it cannot forward variadic parameters.
  var isForwardable: Bool { parameters.allSatisfy { $0.ellipsis == nil } }
}

extension TypeSyntax {
  /// The type that names a key: `User` for `[User]?`, `APIClient` for `any APIClient`.
  var subject: String? {
    if let lastName { return lastName.withoutBackticks }
    switch self.as(TypeSyntaxEnum.self) {
    case .someOrAnyType(let type): return type.constraint.subject
    case .optionalType(let type): return type.wrappedType.subject
    case .implicitlyUnwrappedOptionalType(let type): return type.wrappedType.subject
    case .arrayType(let type): return type.element.subject
    case .attributedType(let type): return type.baseType.subject
    case .metatypeType(let type): return type.baseType.subject
    case .dictionaryType(let type): return Self.joined([type.key, type.value])
    case .tupleType(let type): return Self.joined(type.elements.map(\.type))
    case .compositionType(let type): return Self.joined(type.elements.map(\.type))
    default: return nil
    }
  }

  private static func joined(_ types: [TypeSyntax]) -> String? {
    let subjects = types.compactMap(\.subject)
    return subjects.count == types.count && !subjects.isEmpty ? subjects.joined() : nil
  }
}
#endif
