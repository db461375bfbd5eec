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
    // In this order the compiler infers the types of a feature that only has a body.
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
      return missingMembers(of: feature, in: context)
    }
    guard let destinations = declaration.as(EnumDeclSyntax.self) else {
      context.report(
        """
        '@Reducer' can be attached only to a struct or an enumeration: write \
        'struct \(declaration.typeName)'
        """, id: "notAFeature", at: node)
      return []
    }
    return members(of: destinations, conformances: Conformances(node))
  }

  /// The types and the body that a feature lacks, unless its body or its function names others.
  private static func missingMembers(
    of feature: StructDeclSyntax, in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
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
      return body?.namesType(name) ?? true
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
        """
        @ReducersMacros.CasePathable
        \(raw: access)enum Action: Hashable, Sendable {}
        """)
    }
    if body == nil, function == nil {
      missing.append("\(raw: access)let body = Reducers.EmptyReducer<State, Action>()")
    }
    return missing
  }

  private static func members(
    of destinations: EnumDeclSyntax, conformances: Conformances
  ) -> [DeclSyntax] {
    let access = destinations.modifiers.accessPrefix
    let all = destinations.memberBlock.members
    func lines(_ line: (DestinationCase) -> String?) -> String {
      DestinationCase.lines(of: all, line)
    }
    return [
      """
      @ReducersMacros.CasePathable
      @dynamicMemberLookup
      \(raw: access)enum State: Reducers.DestinationState\(raw: conformances.ofState) {
      \(raw: lines { "case \($0.name)\($0.state)" })
      \(raw: access)static var destinations: some Reducers.Reducer<State, Action> {
      \(raw: destinations.name.text).body
      }
      }
      """,
      """
      @ReducersMacros.CasePathable
      \(raw: access)enum Action\(raw: conformances.ofAction) {
      \(raw: lines { "case \($0.name)(\($0.action))" })
      }
      """,
      """
      @Reducers.ReducerBuilder<State, Action>
      \(raw: access)static var body: some Reducers.Reducer<State, Action> {
      \(raw: lines(\.scope))
      }
      """,
      """
      @Reducers.ReducerBuilder<State, Action>
      \(raw: access)var body: some Reducers.Reducer<State, Action> {
      Self.body
      }
      """,
    ]
  }
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
    let action = names["action"] ?? []
    ofAction = action.isEmpty ? "" : ": " + action.joined(separator: ", ")
  }
}

extension VariableDeclSyntax {
  fileprivate var isBody: Bool {
    bindings.count == 1
      && bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "body"
      && !modifiers.contains { $0.name.tokenKind == .keyword(.static) }
  }

  /// Whether the declared type of the body uses a type of this name, or all types of the feature.
  fileprivate func namesType(_ name: String) -> Bool {
    let type = bindings.first?.typeAnnotation?.type.tokens(viewMode: .sourceAccurate) ?? nil
    guard let words = type?.map(\.text) else { return false }
    return words.contains(name) || words.contains("ReducerOf") && words.contains("Self")
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
