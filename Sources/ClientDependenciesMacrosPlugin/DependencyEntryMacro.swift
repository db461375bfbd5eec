#if !PointFreeDependencies
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
    guard context.isInDependencyValues, let entry = Entry(declaration, node),
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
    guard context.isInDependencyValues, let entry = Entry(declaration, node) else {
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

/// Makes a static property of a key computed, without a need to write its type.
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
#endif
