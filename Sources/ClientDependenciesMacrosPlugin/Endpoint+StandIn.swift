#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder

/// What the expansions call the report of the call that nobody has implemented.
private let report: TokenSyntax = "__endpoint"

extension Endpoint {
  /// The property that keeps the implementation.
  var storageDeclaration: DeclSyntax {
    "\(raw: hidden) var \(storage): (\(type))? = nil"
  }

  /// Gives what is called without an implementation; the parameters say whose line an issue names.
  ///
  /// It is not inlined, so that the way of those calls that matter stays short.
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

  /// Makes the closure that stands in for an implementation.
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
    // The author has been told that a default is missing; this spares him errors that follow.
    return "Swift.fatalError()"
  }
}

extension FunctionTypeSyntax {
  /// The head of a closure that takes these parameters and looks at none.
  var ignoredParameters: String {
    parameters.isEmpty ? "" : " \(parameters.map { _ in "_" }.joined(separator: ", ")) in"
  }
}

extension ClosureExprSyntax {
  /// The closure, reporting before it does what it did.
  fileprivate func reporting(returnsVoid: Bool) -> ClosureExprSyntax {
    var statements = (returnsVoid ? statements : statements.returning).map(\.trimmed)
    statements.insert("\(report).report()", at: 0)
    var closure = self
    closure.statements = CodeBlockItemListSyntax(
      statements.map { $0.with(\.leadingTrivia, .newline) })
    closure.rightBrace = .rightBraceToken(leadingTrivia: .newline)
    return closure
  }
}
#endif
