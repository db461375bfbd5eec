import SwiftSyntax
import SwiftSyntaxMacros

/// A case in an enumeration of destinations: a feature, an alert or a dialog, or other data.
struct DestinationCase {
  let name: String
  /// The associated values of the case in `State`, with parentheses.
  let state: String
  /// The type of the case's actions.
  let action: String
  /// The expression that makes the feature; nil for data.
  private let reducer: String?

  private init(name: String, state: String, action: String, reducer: String? = nil) {
    (self.name, self.state, self.action, self.reducer) = (name, state, action, reducer)
  }

  /// Creates a case; `isIgnored` is true for data with `@ReducerCaseIgnored`.
  private init(_ element: EnumCaseElementSyntax, isIgnored: Bool) {
    let name = element.name.text
    guard let parameters = element.parameterClause?.parameters, let first = parameters.first else {
      self.init(name: name, state: "", action: "Swift.Never")
      return
    }
    let (type, identifier) = (
      first.type.trimmedDescription, first.type.as(IdentifierTypeSyntax.self)
    )
    // A case with several values, or with a type such as a tuple or an optional, cannot be a
    // feature.
    let isNamed = identifier != nil || first.type.is(MemberTypeSyntax.self)
    guard !isIgnored, parameters.count == 1, isNamed else {
      self.init(name: name, state: "(\(parameters.trimmedDescription))", action: "Swift.Never")
      return
    }
    if ["AlertState", "ConfirmationDialogState"].contains(identifier?.name.text),
      let action = identifier?.genericArgumentClause?.arguments.first?.argument
    {
      self.init(name: name, state: "(\(type))", action: action.trimmedDescription)
      return
    }
    self.init(
      name: name, state: "(\(type).State)", action: "\(type).Action",
      reducer: first.defaultValue?.value.trimmedDescription ?? "\(type)()")
  }

  /// The line of the generated `body` that runs the feature's reducer; nil for data.
  var scope: String? {
    reducer.map {
      "Reducers.Scope(state: \\State.Cases.\(name), action: \\Action.Cases.\(name)) { \($0) }"
    }
  }

  /// Returns a line of code for each case, inside the same `#if` conditions as the case.
  static func lines(
    of members: MemberBlockItemListSyntax, _ line: (DestinationCase) -> String?
  ) -> String {
    members.map { member in
      if let cases = member.decl.as(EnumCaseDeclSyntax.self) {
        return cases.elements.compactMap { line(Self($0, isIgnored: cases.isIgnored)) }
          .joined(separator: "\n")
      }
      guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { return "" }
      let clauses = conditional.clauses.map { clause in
        let inner = clause.elements?.as(MemberBlockItemListSyntax.self)
        return clause.poundKeyword.text + (clause.condition.map { " \($0.trimmed)" } ?? "") + "\n"
          + (inner.map { lines(of: $0, line) } ?? "")
      }
      return clauses.joined(separator: "\n") + "\n#endif"
    }.filter { !$0.isEmpty }.joined(separator: "\n")
  }
}

extension EnumCaseDeclSyntax {
  fileprivate var isIgnored: Bool { attributes.has("ReducerCaseIgnored") }
}
