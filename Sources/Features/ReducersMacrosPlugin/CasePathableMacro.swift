import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Adds the key paths to the cases of an enumeration.
enum CasePathableMacro: ExtensionMacro, MemberMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(EnumDeclSyntax.self), !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): Reducers.CasePathable {}")]
  }

  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(EnumDeclSyntax.self) else {
      context.report(
        "'@CasePathable' can only be attached to an enumeration",
        id: "notAnEnumeration", at: node)
      return []
    }
    let access = declaration.modifiers.accessPrefix
    let paths = Self.paths(
      to: declaration.memberBlock.members, of: declaration.name.text, access: access, context)
    return [
      """
      \(raw: access)nonisolated struct AllCasePaths: Sendable {
      \(raw: paths)
      }
      """,
      "\(raw: access)nonisolated static var allCasePaths: AllCasePaths { AllCasePaths() }",
    ]
  }

  private static func paths(
    to members: MemberBlockItemListSyntax, of root: String, access: String,
    _ context: some MacroExpansionContext
  ) -> String {
    var names: Set<String> = []
    return members.map { member in
      if let cases = member.decl.as(EnumCaseDeclSyntax.self) {
        return cases.elements.map { element in
          if !names.insert(element.name.text).inserted {
            context.report(
              """
              two cases are named '\(element.name.text)', and their key paths would be \
              ambiguous; rename one of them
              """, id: "ambiguousCase", at: element)
            return ""
          }
          return path(to: element, of: root, access: access)
        }.joined(separator: "\n")
      }
      guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { return "" }
      let clauses = conditional.clauses.map { clause in
        let condition = clause.condition.map { " \($0.trimmed)" } ?? ""
        let inner = clause.elements?.as(MemberBlockItemListSyntax.self)
        return "\(clause.poundKeyword.text)\(condition)\n"
          + (inner.map { paths(to: $0, of: root, access: access, context) } ?? "")
      }
      return clauses.joined(separator: "\n") + "\n#endif"
    }.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static func path(
    to element: EnumCaseElementSyntax, of root: String, access: String
  ) -> String {
    let name = element.name.text
    let values =
      element.parameterClause?.parameters.map { AssociatedValue($0, of: root) } ?? []
    let type: String
    let embedded: String
    let extracted: String
    switch values.count {
    case 0:
      (type, embedded) = ("Void", "{ _ in \(root).\(name) }")
      extracted = "{ if case .\(name) = $0 { () } else { nil } }"
    case 1:
      type = values[0].type
      // This uses the function of the case instead of a closure, because a closure would cause a
      // warning for an uninhabited type.
      embedded = "\(root).\(name)"
      extracted = "{ if case .\(name)(let value) = $0 { value } else { nil } }"
    default:
      type = "(\(values.map { $0.labeled($0.type) }.joined(separator: ", ")))"
      let arguments = values.enumerated().map { $1.labeled("$0.\($1.label ?? "\($0)")") }
      embedded = "{ \(root).\(name)(\(arguments.joined(separator: ", "))) }"
      let bound = values.indices.map { "let value\($0)" }.joined(separator: ", ")
      let result = values.indices.map { "value\($0)" }.joined(separator: ", ")
      extracted = "{ if case .\(name)(\(bound)) = $0 { (\(result)) } else { nil } }"
    }
    return """
      \(access)var \(name): Reducers.AnyCasePath<\(root), \(type)> {
      Reducers.AnyCasePath(embed: \(embedded), extract: \(extracted))
      }
      """
  }
}

/// An associated value of a case.
private struct AssociatedValue {
  let label: String?
  let type: String

  init(_ parameter: EnumCaseParameterSyntax, of root: String) {
    let name = parameter.firstName?.text
    label = name == "_" ? nil : name
    type = SelfNaming(root).rewrite(parameter.type, detach: true).trimmedDescription
  }

  func labeled(_ text: String) -> String { (label.map { "\($0): " } ?? "") + text }
}

/// Replaces `Self` with the name of the enumeration, because `Self` has another meaning inside
/// `AllCasePaths`.
private final class SelfNaming: SyntaxRewriter {
  private let name: String

  init(_ name: String) {
    self.name = name
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: IdentifierTypeSyntax) -> TypeSyntax {
    guard node.name.tokenKind == .keyword(.Self) else { return super.visit(node) }
    let named = node.name.with(\.tokenKind, .identifier(name))
    return TypeSyntax(node.with(\.name, named))
  }
}
