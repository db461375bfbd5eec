import SwiftSyntax

/// A struct that `@DependencyClient` is attached to.
struct Client {
  var declaration: StructDeclSyntax

  /// The members that are always there, and those below `#if`.
  var members: [Member] { Member.all(in: declaration.memberBlock.members, aliases: aliases) }

  /// The names of type aliases of function types in the struct itself.
  private var aliases: Set<String> { declaration.functionAliases }

  var hasEndpoints: Bool { members.contains(where: \.hasEndpoints) }

  /// The access level of what the macro adds and everybody who sees the struct needs.
  var access: AccessLevel { max(declaration.modifiers.accessLevel, .internal) }
}

extension Client {
  enum Member {
    case property(ClientProperty)
    case conditional([Clause])

    struct Clause {
      var head: String
      var members: [Member]
    }
  }
}

extension Client.Member {
  static func all(in items: MemberBlockItemListSyntax, aliases: Set<String>) -> [Client.Member] {
    items.flatMap { item -> [Client.Member] in
      if let property = item.decl.as(VariableDeclSyntax.self) {
        return ClientProperty.all(in: property, aliases: aliases).map(Client.Member.property)
      }
      guard let condition = item.decl.as(IfConfigDeclSyntax.self) else { return [] }
      let clauses = condition.clauses.map { Clause($0, aliases: aliases) }
      return clauses.allSatisfy(\.members.isEmpty) ? [] : [.conditional(clauses)]
    }
  }

  var hasEndpoints: Bool {
    switch self {
    case .property(let property): property.isEndpoint
    case .conditional(let clauses): clauses.contains { $0.members.contains(where: \.hasEndpoints) }
    }
  }
}

extension Client.Member.Clause {
  init(_ clause: IfConfigClauseSyntax, aliases: Set<String>) {
    let condition = clause.condition.map { " \($0.trimmed)" } ?? ""
    head = "\(clause.poundKeyword.trimmed)\(condition)"
    let items = clause.elements?.as(MemberBlockItemListSyntax.self)
    members = items.map { Client.Member.all(in: $0, aliases: aliases) } ?? []
  }
}

extension StructDeclSyntax {
  var functionAliases: Set<String> {
    Set(
      memberBlock.members.compactMap { $0.decl.as(TypeAliasDeclSyntax.self) }
        .filter { $0.initializer.value.functionType != nil }
        .map(\.name.text))
  }
}
