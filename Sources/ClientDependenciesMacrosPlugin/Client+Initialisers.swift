#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder

extension Client {
  /// An initialiser that takes everything, and one that takes what is no endpoint.
  ///
  /// With the latter all endpoints are unimplemented. Where members are below `#if`, each branch
  /// has its own.
  var initialisers: [DeclSyntax] {
    written(members[...], after: []).map { "\(raw: $0)" }
  }

  private func written(
    _ rest: ArraySlice<Member>, after properties: [ClientProperty]
  ) -> [String] {
    guard let member = rest.first else { return initialisers(of: properties) }
    switch member {
    case .property(let property):
      return written(rest.dropFirst(), after: properties + [property])
    case .conditional(var clauses):
      if clauses.last?.head != "#else" { clauses.append(.init(head: "#else", members: [])) }
      let branches = clauses.flatMap { clause in
        [clause.head] + written(clause.members + rest.dropFirst(), after: properties)
      }
      return [(branches + ["#endif"]).joined(separator: "\n")]
    }
  }

  private func initialisers(of properties: [ClientProperty]) -> [String] {
    let others = properties.filter { !$0.isEndpoint }
    let all = others.count == properties.count ? [] : [properties]
    let missing =
      all.filter { !declares(initialiserWith: $0) }.map { initialiser(taking: $0) }
      + [others].filter { !declares(initialiserWith: $0) }.map(initialiserOfUnimplemented)
    let needsFunctions = !missing.isEmpty && access(taking: others) == .public
    return missing + (needsFunctions ? others.compactMap(\.functionOfInitialValue) : [])
  }

  /// The access level of an initialiser that takes these.
  private func access(taking properties: [ClientProperty]) -> AccessLevel {
    min(access, properties.map(\.access).min() ?? access)
  }

  private func initialiserOfUnimplemented(taking properties: [ClientProperty]) -> String {
    initialiser(taking: properties) { $0.standIn(in: declaration.name.text.withoutBackticks) }
  }

  private func initialiser(
    taking properties: [ClientProperty], default value: (ClientProperty) -> String? = { _ in nil }
  ) -> String {
    let access = access(taking: properties)
    let generics = properties.compactMap(\.genericParameter).joined(separator: ", ")
    let head = "\(access.prefix)init\(generics.isEmpty ? "" : "<\(generics)>")"
    guard !properties.isEmpty else { return "\(head)() {\n}" }
    let parameters =
      properties.compactMap { $0.parameter(default: value($0), isPublic: access == .public) }
      + properties.compactMap(\.parameterOfType)
    let requirements = properties.compactMap(\.requirement).joined(separator: ", ")
    return """
      \(head)(
      \(parameters.joined(separator: ",\n"))
      )\(requirements.isEmpty ? "" : " where \(requirements)") {
      \(properties.map { "self.\($0.storage) = \($0.identifier)" }.joined(separator: "\n"))
      }
      """
  }

  /// Whether the author has written this initialiser.
  private func declares(initialiserWith properties: [ClientProperty]) -> Bool {
    declaration.memberBlock.members.contains { item in
      item.decl.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters
        .map(\.firstName.text) == properties.map(\.identifier.text)
    }
  }
}

extension ArraySlice<Client.Member> {
  fileprivate static func + (left: [Client.Member], right: ArraySlice) -> ArraySlice {
    ArraySlice(left) + Array(right)
  }
}
#endif
