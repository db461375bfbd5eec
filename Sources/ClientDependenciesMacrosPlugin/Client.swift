#if !PointFreeDependencies
import SwiftSyntax

/// A struct that `@DependencyClient` is attached to.
struct Client {
  var declaration: StructDeclSyntax

  /// The members that are always there, and those below `#if`.
  var members: [Member] { Member.all(in: declaration.memberBlock.members, names: names) }

  private var names: ClientNames { ClientNames(declaration) }

  /// Whether it has endpoints, or properties that may be some.
  var mayHaveEndpoints: Bool { members.contains(where: \.mayHaveEndpoints) }

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
  static func all(in items: MemberBlockItemListSyntax, names: ClientNames) -> [Client.Member] {
    items.flatMap { item -> [Client.Member] in
      if let property = item.decl.as(VariableDeclSyntax.self) {
        return ClientProperty.all(in: property, names: names).map(Client.Member.property)
      }
      guard let condition = item.decl.as(IfConfigDeclSyntax.self) else { return [] }
      let clauses = condition.clauses.map { Clause($0, names: names) }
      return clauses.allSatisfy(\.members.isEmpty) ? [] : [.conditional(clauses)]
    }
  }

  var mayHaveEndpoints: Bool {
    switch self {
    case .property(let property): property.isEndpoint || property.isUnknown
    case .conditional(let clauses):
      clauses.contains { $0.members.contains(where: \.mayHaveEndpoints) }
    }
  }
}

extension Client.Member.Clause {
  init(_ clause: IfConfigClauseSyntax, names: ClientNames) {
    let condition = clause.condition.map { " \($0.trimmed)" } ?? ""
    head = "\(clause.poundKeyword.trimmed)\(condition)"
    let items = clause.elements?.as(MemberBlockItemListSyntax.self)
    members = items.map { Client.Member.all(in: $0, names: names) } ?? []
  }
}
#endif
