import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Turns a struct into a reducer, or an enumeration into the reducer of its destinations.
enum ReducerMacro {}

extension ReducerMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self),
      !protocols.isEmpty
    else { return [] }
    // With the conformances in this order, the compiler can infer the types of a feature that has
    // only a body.
    return [
      try ExtensionDeclSyntax(
        "extension \(type.trimmed): Reducers.Reducer, Reducers.ReducerTypes {}")
    ]
  }
}

extension ReducerMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard declaration.is(StructDeclSyntax.self) else { return [] }
    if let enumeration = member.as(EnumDeclSyntax.self),
      ["State", "Action"].contains(enumeration.name.text)
    {
      let paths: [AttributeSyntax] =
        enumeration.attributes.has("CasePathable") ? [] : ["@ReducersMacros.CasePathable"]
      let lookup: [AttributeSyntax] =
        enumeration.attributes.has("dynamicMemberLookup") || enumeration.name.text == "Action"
        ? [] : ["@dynamicMemberLookup"]
      return paths + lookup
    }
    if let property = member.as(VariableDeclSyntax.self), property.isBody,
      property.bindings.first?.accessorBlock != nil, !property.attributes.has("ReducerBuilder")
    {
      return ["@Reducers.ReducerBuilder<Self.State, Self.Action>"]
    }
    return []
  }
}

extension ReducerMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if let feature = declaration.as(StructDeclSyntax.self) {
      return try missingMembers(of: feature, in: context)
    }
    guard let destinations = declaration.as(EnumDeclSyntax.self) else {
      context.report(
        """
        '@Reducer' can be attached only to a struct or an enumeration: write \
        'struct \(declaration.typeName)'
        """, id: "notAFeature", at: node)
      return []
    }
    return try members(of: destinations, conformances: Conformances(node), in: context)
  }

  /// Returns the types and the body that a feature lacks.
  ///
  /// A feature with its own `reduce`, or with a `body` that names other types, lacks no types.
  private static func missingMembers(
    of feature: StructDeclSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let members = feature.memberBlock.members.map(\.decl)
    let body = members.lazy.compactMap { $0.as(VariableDeclSyntax.self) }.first(where: \.isBody)
    let function = members.lazy.compactMap { $0.as(FunctionDeclSyntax.self) }
      .first { $0.name.text == "reduce" && $0.signature.parameterClause.parameters.count == 2 }
    if body != nil, let function {
      context.report(
        "'reduce' replaces 'body', which never runs: move its logic into a 'Reduce' of 'body'",
        id: "bodyAndFunction", at: function.name)
    }
    let access = feature.modifiers.accessPrefix
    func lacks(_ name: String) -> Bool {
      guard !members.contains(where: { $0.declaredTypeName == name }) else { return false }
      if function != nil { return false }
      return body?.namesType(name, of: members) ?? true
    }
    var missing: [DeclSyntax] = []
    if lacks("State") {
      missing.append(
        """
        \(raw: access)struct State: Codable, Hashable, Sendable {
        \(raw: access)init() {}
        }
        """)
    }
    if lacks("Action") {
      missing.append(
        try withCasePaths(
          """
          \(raw: access)enum Action: Reducers.CasePathable, Hashable, Sendable {}
          """, in: context))
    }
    if body == nil, function == nil {
      missing.append("\(raw: access)let body = Reducers.EmptyReducer<State, Action>()")
    }
    return missing
  }

  private static func members(
    of destinations: EnumDeclSyntax, conformances: Conformances,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let access = destinations.modifiers.accessPrefix
    let all = destinations.memberBlock.members
    func lines(_ line: (DestinationCase) -> String?) -> String {
      DestinationCase.lines(of: all, line)
    }
    let types: [DeclSyntax] = [
      """
      @dynamicMemberLookup
      \(raw: access)enum State: Reducers.DestinationState\(raw: conformances.ofState) {
      \(raw: lines { "case \($0.name)\($0.state)" })
      \(raw: access)static var destinations: some Reducers.Reducer<State, Action> {
      \(raw: destinations.name.text).body
      }
      }
      """,
      """
      \(raw: access)enum Action: Reducers.CasePathable\(raw: conformances.ofAction) {
      \(raw: lines { "case \($0.name)(\($0.action))" })
      }
      """,
    ]
    return try types.map { try withCasePaths($0, in: context) } + [
      """
      @Reducers.ReducerBuilder<State, Action>
      \(raw: access)static var body: Reducers.PreparedReducer<State, Action> {
      \(raw: lines(\.scope))
      }
      """,
      """
      \(raw: access)var body: Reducers.PreparedReducer<State, Action> { Self.body }
      """,
    ]
  }
}

/// Returns a generated enumeration, completed with the members that `@CasePathable` adds.
///
/// The attribute itself cannot be generated, because Swift 6.3 crashes when it expands an extension
/// macro on a generated type.
private func withCasePaths(
  _ declaration: DeclSyntax, in context: some MacroExpansionContext
) throws -> DeclSyntax {
  guard var enumeration = declaration.as(EnumDeclSyntax.self) else { return declaration }
  let members = try CasePathableMacro.expansion(
    of: "@CasePathable", providingMembersOf: enumeration, conformingTo: [], in: context)
  for member in members {
    enumeration.memberBlock.members.append(
      MemberBlockItemSyntax(leadingTrivia: .newline, decl: member))
  }
  return DeclSyntax(enumeration)
}

/// The conformances of `@Reducer(state: .equatable, action: .sendable)`.
private struct Conformances {
  let ofState: String
  let ofAction: String

  init(_ node: AttributeSyntax) {
    var label: String?
    var names: [String: [String]] = [:]
    for argument in node.arguments?.as(LabeledExprListSyntax.self) ?? [] {
      label = argument.label?.text ?? label
      let name = argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
      guard let label, let name, let first = name.first else { continue }
      names[label, default: []].append("\(first.uppercased())\(name.dropFirst())")
    }
    ofState = (names["state"] ?? []).map { ", \($0)" }.joined()
    ofAction = (names["action"] ?? []).map { ", \($0)" }.joined()
  }
}

extension VariableDeclSyntax {
  fileprivate var isBody: Bool {
    bindings.count == 1
      && bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "body"
      && !modifiers.contains { $0.name.tokenKind == .keyword(.static) }
  }

  /// Whether the declared type of `body` uses the feature's own type `name`, which is `State` or
  /// `Action`.
  ///
  /// A feature that declares neither `State` nor `Action` may use those of an outer type.
  fileprivate func namesType(_ name: String, of members: [DeclSyntax]) -> Bool {
    let type = bindings.first?.typeAnnotation?.type.tokens(viewMode: .sourceAccurate) ?? nil
    guard let words = type?.map(\.text) else { return false }
    if words.contains("ReducerOf"), words.contains("Self") { return true }
    return words.contains(name)
      && members.contains { ["State", "Action"].contains($0.declaredTypeName) }
  }
}

extension DeclSyntax {
  fileprivate var declaredTypeName: String? {
    self.as(StructDeclSyntax.self)?.name.text ?? self.as(EnumDeclSyntax.self)?.name.text
      ?? self.as(ClassDeclSyntax.self)?.name.text ?? self.as(TypeAliasDeclSyntax.self)?.name.text
  }
}

extension AttributeListSyntax {
  /// Whether the list contains an attribute of this name, with or without a module name.
  func has(_ name: String) -> Bool {
    contains { element in
      guard let type = element.as(AttributeSyntax.self)?.attributeName else { return false }
      return (type.as(IdentifierTypeSyntax.self)?.name ?? type.as(MemberTypeSyntax.self)?.name)?
        .text == name
    }
  }
}
