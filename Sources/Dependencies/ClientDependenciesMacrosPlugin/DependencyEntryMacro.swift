#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Declares a dependency and its key in one line of an extension of `DependencyValues`.
enum DependencyEntryMacro {}

extension DependencyEntryMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard context.isInDependencyValues, let entry = EntryProperty(declaration, node),
      entry.problem == nil
    else { return declaration.accessorsDespiteProblem }
    return [
      """
      get {
      func _check() {
      \(raw: context.checks(in: "_check", on: node, entry.checks))
      }
      return self[\(entry.key).self]
      }
      """,
      "set {\nself[\(entry.key).self] = newValue\n}",
      "_modify {\nyield &self[\(entry.key).self]\n}",
    ]
  }
}

extension DependencyEntryMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard context.isInDependencyValues, let entry = EntryProperty(declaration, node) else {
      context.diagnose(.notAnEntry(node, declaration))
      return []
    }
    if let problem = entry.problem {
      context.diagnose(problem)
      return []
    }
    entry.problemOfName.map(context.diagnose)
    return [entry.keyDeclaration]
  }
}

/// Turns a key's static property into a computed property that returns the initial value.
enum DependencyEntryValueMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    let binding = declaration.as(VariableDeclSyntax.self)?.bindings.first
    return binding?.initializer.map { ["get {\n\($0.value.trimmed)\n}"] } ?? []
  }
}

extension MacroExpansionContext {
  fileprivate var isInDependencyValues: Bool {
    let around = lexicalContext.first?.as(ExtensionDeclSyntax.self)
    return around?.extendedType.lastName == "DependencyValues"
  }
}

/// A property that `@DependencyEntry` is attached to.
struct EntryProperty {
  private var attribute: AttributeSyntax
  private var property: VariableDeclSyntax
  private var binding: PatternBindingSyntax
  private var identifier: TokenSyntax

  init?(_ declaration: some DeclSyntaxProtocol, _ attribute: AttributeSyntax) {
    guard let property = declaration.as(VariableDeclSyntax.self),
      property.bindingSpecifier.tokenKind == .keyword(.var), property.bindings.count == 1,
      let binding = property.bindings.first, binding.accessorBlock == nil,
      let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed
    else { return nil }
    self.attribute = attribute
    self.property = property
    self.binding = binding
    self.identifier = identifier
  }

  /// The reason that no key can be declared.
  var problem: Diagnostic? {
    if let modifier = property.modifiers.ofNoInstance { return .entryOfNoInstance(modifier) }
    return testValue == nil && argument("liveValue") == nil ? .entryWithoutValue(binding) : nil
  }

  /// The reason that the key cannot have the given name.
  var problemOfName: Diagnostic? { argument(nil)?.problem(asNameOf: .key) }

  private var type: TypeSyntax? { binding.typeAnnotation?.type.trimmed }
  private var testValue: ExprSyntax? { binding.initializer?.value.trimmed }

  private func argument(_ label: String?) -> ExprSyntax? {
    attribute.arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == label }?
      .expression
  }

  /// Calls of `_Checks` functions, with which the compiler checks the types of the values.
  var checks: [String] {
    let entry = "\\DependencyValues.\(identifier)"
    let values = [argument("liveValue"), argument("previewValue")].compactMap(\.self)
    return ["isSendable(\(entry))"] + values.map { "isValue(of: \(entry), \($0.trimmed))" }
  }

  /// Whether other modules or files can name the key.
  private var isShared: Bool { access >= .package }
  private var access: AccessLevel { property.modifiers.accessLevel }

  /// The key's name: readable if other modules or files can name the key, otherwise hidden.
  var key: TokenSyntax {
    let name = identifier.text.withoutBackticks
    guard isShared else { return .identifier("__Key_\(name)") }
    let subject = type?.subject ?? name.prefix(1).uppercased() + name.dropFirst()
    return argument(nil)?.name ?? .identifier("\(subject)Key")
  }

  var keyDeclaration: DeclSyntax {
    let isLive = argument("liveValue") != nil
    let conformance = isLive ? "DependencyKey" : "TestDependencyKey"
    let members = [
      type.map { "\(memberAccess)typealias Value = \($0)" },
      member("liveValue", argument("liveValue")?.trimmed),
      member("previewValue", argument("previewValue")?.trimmed),
      member("testValue", testValue),
    ]
    return """
      \(raw: isShared ? access.rawValue : "private") nonisolated enum \(key): \
      ClientDependencies.\(raw: conformance) {
      \(raw: members.compactMap(\.self).joined(separator: "\n"))
      }
      """
  }

  private var memberAccess: String { isShared ? access.prefix : "" }

  private func member(_ name: String, _ value: ExprSyntax?) -> String? {
    guard let value else { return nil }
    if type != nil { return "\(memberAccess)static var \(name): Value {\n\(value)\n}" }
    let attribute = "@ClientDependenciesMacros._DependencyEntryValue"
    return "\(attribute) \(memberAccess)static var \(name) = \(value)"
  }
}
#endif
