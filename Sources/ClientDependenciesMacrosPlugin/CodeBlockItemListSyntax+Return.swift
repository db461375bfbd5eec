#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder

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
