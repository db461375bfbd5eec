#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder

/// From the narrowest to the widest.
enum AccessLevel: String, CaseIterable, Comparable {
  case `private`, `fileprivate`, `internal`, package, `public`

  static func < (left: Self, right: Self) -> Bool {
    allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
  }

  /// The word with a blank behind it, or nothing where the word is needless.
  var prefix: String { self == .internal ? "" : "\(rawValue) " }
}

extension DeclModifierListSyntax {
  /// The access level that is written here; `private(set)` is none.
  var accessLevels: [AccessLevel] {
    filter { $0.detail == nil }.compactMap { AccessLevel(rawValue: $0.name.text) }
  }

  var accessLevel: AccessLevel { accessLevels.first ?? .internal }

  /// The word that makes a property one that not each value of its type stores from the start.
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

  /// Whether it captures the caller's location, so that a method needs it as well.
  fileprivate var isOfMethods: Bool {
    let ofTypesOnly: Set = ["Sendable", "autoclosure", "convention", "escaping", "isolated"]
    return name.map { !ofTypesOnly.contains($0) } ?? true
  }
}

extension AttributeListSyntax {
  func contains(_ name: String) -> Bool {
    contains { $0.as(AttributeSyntax.self)?.name == name }
  }

  /// The `@available(…)` among them.
  var availability: [String] {
    compactMap { $0.as(AttributeSyntax.self) }.filter { $0.name == "available" }
      .map(\.trimmedDescription)
  }
}

extension [AttributeSyntax] {
  /// Those of a function type that are attributes of methods too: its global actor.
  var ofMethods: [String] {
    filter(\.isOfMethods).map(\.trimmedDescription)
  }
}

extension String {
  var withoutBackticks: String {
    count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
  }

  /// Whether it can be a name without backticks, keywords aside.
  var isIdentifier: Bool {
    guard let first, first == "_" || first.isLetter else { return false }
    return dropFirst().allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
  }

  var capitalizingFirst: String {
    prefix(1).uppercased() + dropFirst()
  }
}

extension CodeBlockItemListSyntax {
  /// The statements of a closure with `return` before the value, which one expression alone need
  /// not say, but has to as soon as something stands before it.
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

  /// Whether a branch with these statements gives a value or throws, without `return`.
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
  /// Whether it is no `if` or `switch` that is a statement, with `return` in its branches.
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
  /// Each branch with `return` before its value.
  fileprivate var returning: IfConfigDeclSyntax {
    let clauses = clauses.map { clause in
      guard case .statements(let statements) = clause.elements else { return clause }
      return clause.with(\.elements, .statements(statements.returning))
    }
    return with(\.clauses, IfConfigClauseListSyntax(clauses))
  }
}
#endif
