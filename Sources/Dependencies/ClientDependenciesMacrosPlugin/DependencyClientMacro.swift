#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Completes a struct whose properties are a client's functions.
enum DependencyClientMacro {}

extension DependencyClientMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let client = declaration.as(StructDeclSyntax.self),
      let property = member.as(VariableDeclSyntax.self),
      !property.attributes.contains("DependencyEndpoint"),
      property.isEndpoint(names: ClientNames(client))
    else { return [] }
    return ["@DependencyEndpoint"]
  }
}

extension DependencyClientMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(StructDeclSyntax.self) else {
      context.diagnose(.notAStruct(node, declaration))
      return []
    }
    let client = Client(declaration: declaration)
    let unknown = client.propertiesWithoutType
    unknown.map(Diagnostic.typeIsMissing).forEach(context.diagnose)
    guard unknown.isEmpty, client.mayHaveEndpoints else { return [] }
    return [client.origin] + client.isolationCheck(in: context) + client.initializers
  }
}

/// A struct that `@DependencyClient` is attached to.
struct Client {
  var declaration: StructDeclSyntax

  /// The unconditional members, and those inside `#if`.
  var members: [Member] { Member.all(in: declaration.memberBlock.members, names: names) }

  private var names: ClientNames { ClientNames(declaration) }

  /// Whether the struct has endpoints, or properties that may be endpoints.
  var mayHaveEndpoints: Bool {
    members.flatMap(\.properties).contains { $0.isEndpoint || $0.isUnknown }
  }

  /// The access level of members that all users of the struct need.
  var access: AccessLevel { max(declaration.modifiers.accessLevel, .internal) }

  enum Member {
    case property(ClientProperty)
    case conditional([Clause])

    struct Clause {
      var head: String
      var members: [Member]
    }
  }

  /// The hidden property whose value is the test that gets the issues of unimplemented endpoints.
  var origin: DeclSyntax {
    """
    private var _issueOrigin: ClientDependencies.IssueOrigin = ._current { \
    (client: inout Self, origin: ClientDependencies.IssueOrigin) in client._issueOrigin = origin }
    """
  }

  /// Returns a function that is compiled as a check, but never called.
  ///
  /// The function does not compile if the module's default isolation puts the client on the main
  /// actor.
  func isolationCheck(in context: some MacroExpansionContext) -> [DeclSyntax] {
    guard !saysItsIsolation else { return [] }
    let checks = context.checks(in: "_checkIsolation", on: declaration.structKeyword)
    return ["private static func _checkIsolation() {\n\(raw: checks)\n}"]
  }

  /// Whether the struct states its isolation: `nonisolated`, or an attribute that may be a global
  /// actor.
  private var saysItsIsolation: Bool {
    declaration.modifiers.contains { $0.name.tokenKind == .keyword(.nonisolated) }
      || declaration.attributes.contains { element in
        guard let name = element.as(AttributeSyntax.self)?.name else { return true }
        return !["DependencyClient", "available", "frozen"].contains(name)
      }
  }

  /// The properties with neither an annotation nor a literal.
  var propertiesWithoutType: [ClientProperty] {
    members.flatMap(\.properties).filter { $0.type == nil }
  }

  /// An initializer for all properties, and another for the properties that are not endpoints.
  ///
  /// The second leaves all endpoints unimplemented. Each branch of an `#if` has its own
  /// initializers.
  var initializers: [DeclSyntax] {
    written(members[...], after: []).map { "\(raw: $0)" }
  }

  private func written(
    _ rest: ArraySlice<Member>, after properties: [ClientProperty]
  ) -> [String] {
    guard let member = rest.first else { return initializers(of: properties) }
    switch member {
    case .property(let property):
      return written(rest.dropFirst(), after: properties + [property])
    case .conditional(var clauses):
      if clauses.last?.head != "#else" { clauses.append(.init(head: "#else", members: [])) }
      let branches = clauses.flatMap { clause in
        [clause.head] + written((clause.members + rest.dropFirst())[...], after: properties)
      }
      return [(branches + ["#endif"]).joined(separator: "\n")]
    }
  }

  private func initializers(of properties: [ClientProperty]) -> [String] {
    let others = properties.filter { !$0.isEndpoint }
    let all = others.count == properties.count ? [] : [properties]
    let missing =
      all.filter { !declares(initializerWith: $0) }.map { initializer(taking: $0) }
      + [others].filter { !declares(initializerWith: $0) }.map(initializerOfUnimplemented)
    let needsFunctions = !missing.isEmpty && access(taking: others) == .public
    return missing + (needsFunctions ? others.compactMap(\.functionOfInitialValue) : [])
  }

  /// Returns the access level of an initializer with parameters for these properties.
  private func access(taking properties: [ClientProperty]) -> AccessLevel {
    min(access, properties.map(\.access).min() ?? access)
  }

  private func initializerOfUnimplemented(taking properties: [ClientProperty]) -> String {
    initializer(taking: properties) { $0.standIn(in: declaration.name.text.withoutBackticks) }
  }

  private func initializer(
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

  /// Whether the author has written an initializer with these parameters.
  private func declares(initializerWith properties: [ClientProperty]) -> Bool {
    declaration.memberBlock.members.contains { item in
      item.decl.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters
        .map(\.firstName.text) == properties.map(\.identifier.text)
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
}

extension Client.Member.Clause {
  init(_ clause: IfConfigClauseSyntax, names: ClientNames) {
    let condition = clause.condition.map { " \($0.trimmed)" } ?? ""
    head = "\(clause.poundKeyword.trimmed)\(condition)"
    let items = clause.elements?.as(MemberBlockItemListSyntax.self)
    members = items.map { Client.Member.all(in: $0, names: names) } ?? []
  }
}

extension Client.Member {
  fileprivate var properties: [ClientProperty] {
    switch self {
    case .property(let property): [property]
    case .conditional(let clauses): clauses.flatMap(\.members).flatMap(\.properties)
    }
  }
}

/// The names of types that are known to be functions, and of types that are known not to be.
struct ClientNames {
  /// Type aliases of function types in the struct itself.
  private var functions: Set<String>
  /// Types that are not functions: types declared in the struct, its generic parameters, and
  /// well-known types.
  private var values: Set<String>

  init(_ declaration: StructDeclSyntax) {
    let members = declaration.memberBlock.members.map(\.decl)
    let aliases = members.compactMap { $0.as(TypeAliasDeclSyntax.self) }
    functions = Set(
      aliases.filter { $0.initializer.value.functionType != nil }.map(\.name.text))
    let parameters = declaration.genericParameterClause?.parameters.map(\.name.text) ?? []
    values = Self.wellKnown.union(parameters).union(members.compactMap(\.nameOfNominalType))
  }

  /// Whether the type is one of the struct's aliases of function types.
  func isFunction(_ type: TypeSyntax) -> Bool {
    type.as(IdentifierTypeSyntax.self).map { functions.contains($0.name.text) } == true
  }

  /// Whether the type may be an alias of a function type.
  func isUnknown(_ type: TypeSyntax) -> Bool {
    if isFunction(type) { return false }
    if let member = type.as(MemberTypeSyntax.self) {
      return !["Swift", "Foundation"].contains(member.baseType.trimmedDescription)
    }
    return type.as(IdentifierTypeSyntax.self).map { !values.contains($0.name.text) } == true
  }

  /// Well-known types that are not functions.
  static let wellKnown: Set = [
    "Any", "AnyHashable", "AnyObject", "Array", "Bool", "Calendar", "Character", "Data", "Date",
    "Decimal", "Dictionary", "Double", "Duration", "Float", "Int", "Int16", "Int32", "Int64",
    "Int8", "Locale", "Optional", "Result", "Self", "Set", "String", "Substring", "TimeZone",
    "UInt", "UInt16", "UInt32", "UInt64", "UInt8", "URL", "UUID",
  ]
}

extension DeclSyntax {
  fileprivate var nameOfNominalType: String? {
    switch self.as(DeclSyntaxEnum.self) {
    case .structDecl(let type): type.name.text
    case .enumDecl(let type): type.name.text
    case .classDecl(let type): type.name.text
    case .actorDecl(let type): type.name.text
    default: nil
    }
  }
}
#endif
