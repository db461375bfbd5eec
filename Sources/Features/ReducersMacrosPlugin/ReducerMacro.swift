import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Turns a struct into a reducer, or an enumeration into the reducers of its destinations.
enum ReducerMacro {}

extension ReducerMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(StructDeclSyntax.self), !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): Reducers.Reducer {}")]
  }
}

extension ReducerMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard declaration.is(StructDeclSyntax.self) else { return [] }
    if let enumeration = member.as(EnumDeclSyntax.self),
      ["State", "Action"].contains(enumeration.name.text),
      !enumeration.attributes.has("CasePathable")
    {
      return ["@ReducersMacros.CasePathable"]
    }
    if let property = member.as(VariableDeclSyntax.self), property.isBody,
      !property.attributes.has("ReducerBuilder")
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
      check(feature, in: context)
      return []
    }
    guard let destinations = declaration.as(EnumDeclSyntax.self) else {
      context.report(
        """
        '@Reducer' can be attached only to a struct or an enumeration: write \
        'struct \(declaration.typeName)'
        """, id: "notAFeature", at: node)
      return []
    }
    return members(of: destinations, in: context)
  }

  /// Reports the missing parts of a feature, unless its body names the types.
  private static func check(
    _ feature: StructDeclSyntax, in context: some MacroExpansionContext
  ) {
    let members = feature.memberBlock.members.map(\.decl)
    let body = members.lazy.compactMap { $0.as(VariableDeclSyntax.self) }.first(where: \.isBody)
    let function = members.contains { $0.as(FunctionDeclSyntax.self)?.name.text == "reduce" }
    if body == nil, !function {
      context.report(
        """
        '\(feature.name.text)' has no logic: add 'var body: some ReducerOf<Self>' with reducers, or \
        'func reduce(into state: inout State, action: Action) -> Effect<Action>'
        """, id: "noBody", at: feature.name)
    }
    guard body?.typeText.contains("ReducerOf<Self>") == true else { return }
    for (name, example) in [("State", "struct State"), ("Action", "enum Action")]
    where !members.contains(where: { $0.declaredTypeName == name }) {
      context.report(
        "'\(feature.name.text)' has no type '\(name)': add '\(example) {}' to it",
        id: "no\(name)", at: feature.name)
    }
  }

  private static func members(
    of destinations: EnumDeclSyntax, in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    let access = destinations.modifiers.accessPrefix
    let cases = destinations.memberBlock.members
      .compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }.flatMap(\.elements)
    let all = cases.compactMap { element -> DestinationCase? in
      if let destination = DestinationCase(element) { return destination }
      context.report(
        """
        the case '\(element.name.text)' needs one value, a feature or an alert, as in \
        'case \(element.name.text)(Edit)'
        """, id: "noDestination", at: element)
      return nil
    }
    let ephemeral = all.filter(\.isData).map { "case .\($0.name): true" }
    let others = all.allSatisfy(\.isData) ? "" : "default: false"
    let isEphemeral =
      all.isEmpty
      ? "false" : "switch self {\n\((ephemeral + [others]).joined(separator: "\n"))\n}"
    return [
      """
      @ReducersMacros.CasePathable
      \(raw: access)enum State: Reducers.DestinationState {
      \(raw: all.map { "case \($0.name)(\($0.state))" }.joined(separator: "\n"))
      \(raw: access)var isEphemeral: Bool {
      \(raw: isEphemeral)
      }
      \(raw: access)static var destinations: some Reducers.Reducer<State, Action> {
      \(raw: destinations.name.text).body
      }
      }
      """,
      """
      @ReducersMacros.CasePathable
      \(raw: access)enum Action {
      \(raw: all.map { "case \($0.name)(\($0.action))" }.joined(separator: "\n"))
      }
      """,
      """
      @Reducers.ReducerBuilder<State, Action>
      \(raw: access)static var body: some Reducers.Reducer<State, Action> {
      \(raw: all.filter { !$0.isData }.map(\.scope).joined(separator: "\n"))
      }
      """,
    ]
  }
}

/// A case in an enumeration of destinations.
private struct DestinationCase {
  let name: String
  /// The type of the feature or of the data.
  let type: String
  /// The action type of data.
  private let dataAction: String?

  init?(_ element: EnumCaseElementSyntax) {
    guard let parameters = element.parameterClause?.parameters, parameters.count == 1,
      let type = parameters.first?.type
    else { return nil }
    name = element.name.text
    self.type = type.trimmedDescription
    let identifier = type.as(IdentifierTypeSyntax.self)
    let isAlert = ["AlertState", "ConfirmationDialogState"].contains(identifier?.name.text)
    dataAction =
      isAlert
      ? identifier?.genericArgumentClause?.arguments.first?.argument.trimmedDescription : nil
  }

  var isData: Bool { dataAction != nil }
  var state: String { isData ? type : "\(type).State" }
  var action: String { dataAction ?? "\(type).Action" }

  var scope: String {
    "Reducers.Scope(state: \\State.Cases.\(name), action: \\Action.Cases.\(name)) { \(type)() }"
  }
}

extension VariableDeclSyntax {
  fileprivate var isBody: Bool {
    bindings.count == 1
      && bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "body"
      && !modifiers.contains { $0.name.tokenKind == .keyword(.static) }
  }

  fileprivate var typeText: String {
    bindings.first?.typeAnnotation?.type.trimmedDescription ?? ""
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
  fileprivate func has(_ name: String) -> Bool {
    contains { element in
      guard let type = element.as(AttributeSyntax.self)?.attributeName else { return false }
      return (type.as(IdentifierTypeSyntax.self)?.name ?? type.as(MemberTypeSyntax.self)?.name)?
        .text == name
    }
  }
}
