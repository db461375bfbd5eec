#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A diagnostic about a wrong use of a macro, or its fix-it.
struct Message: DiagnosticMessage, FixItMessage {
  var message: String
  var id: String
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID {
    MessageID(domain: "ClientDependenciesMacros", id: id)
  }

  var fixItID: MessageID { diagnosticID }
}

extension FixIt {
  static func replacing(
    _ old: some SyntaxProtocol, by new: some SyntaxProtocol, _ message: String
  ) -> FixIt {
    FixIt(
      message: Message(message: message, id: "fix"),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }

  /// Removes an attribute or a modifier from its declaration.
  static func removing(_ word: some SyntaxProtocol) -> FixIt {
    FixIt(
      message: Message(message: "Remove '\(word.trimmed)'", id: "fix"),
      changes: [
        .replace(
          oldNode: Syntax(word),
          newNode: Syntax(TokenSyntax.identifier("", leadingTrivia: word.leadingTrivia)))
      ])
  }
}

extension DeclSyntaxProtocol {
  /// The accessors of a property after a diagnostic.
  ///
  /// They avoid a second error, about missing accessors.
  var accessorsDespiteProblem: [AccessorDeclSyntax] {
    guard let property = self.as(VariableDeclSyntax.self),
      property.bindingSpecifier.tokenKind == .keyword(.var), property.bindings.count == 1,
      property.bindings.first?.accessorBlock == nil
    else { return [] }
    return ["get {\nSwift.fatalError()\n}"]
  }
}

extension MacroExpansionContext {
  /// The body of a function that is never called: calls of `_Checks` on the line of a node.
  ///
  /// The first call checks the isolation of the function, which is that of the enclosing
  /// declaration.
  func checks(in function: String, on node: some SyntaxProtocol, _ calls: [String] = []) -> String {
    let checks = "ClientDependenciesMacros._Checks."
    let calls =
      ["let isolation = \(checks)isolation(of: \(function))"]
      + (["isNonisolated(isolation)"] + calls).map { checks + $0 }
    guard let place = location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath) else {
      return calls.joined(separator: "\n")
    }
    let line = "#sourceLocation(file: \(place.file), line: \(place.line))"
    return (calls.flatMap { [line, $0] } + ["#sourceLocation()"]).joined(separator: "\n")
  }
}

extension Diagnostic {
  static func notAStruct(
    _ attribute: AttributeSyntax, _ declaration: some DeclGroupSyntax
  ) -> Diagnostic {
    let message = Message(
      message: """
        '@DependencyClient' can only be attached to a struct, whose copies a test can change one \
        endpoint of
        """, id: "notAStruct")
    guard let keyword = declaration.keyword else {
      return Diagnostic(
        node: attribute, message: message, fixIt: .removing(attribute))
    }
    return Diagnostic(
      node: keyword, message: message,
      fixIt: .replacing(
        keyword, by: keyword.with(\.tokenKind, .keyword(.struct)),
        "Replace '\(keyword.text)' with 'struct'"))
  }

  static func typeIsMissing(_ property: ClientProperty) -> Diagnostic {
    var binding = property.binding
    binding.pattern.trailingTrivia = []
    binding.typeAnnotation = TypeAnnotationSyntax(
      colon: .colonToken(trailingTrivia: .space), type: IdentifierTypeSyntax(name: "<#Type#>"),
      trailingTrivia: .space)
    return Diagnostic(
      node: property.binding,
      message: Message(
        message: """
          '\(property.identifier.text)' needs a type annotation, because '@DependencyClient' \
          writes an initializer with it
          """, id: "typeIsMissing"),
      fixIt: .replacing(property.binding, by: binding, "Insert ': <#Type#>'"))
  }
}

extension DeclGroupSyntax {
  /// The `class` of a class or `actor` of an actor, which may become `struct`.
  fileprivate var keyword: TokenSyntax? {
    self.as(ClassDeclSyntax.self)?.classKeyword ?? self.as(ActorDeclSyntax.self)?.actorKeyword
  }
}

extension Diagnostic {
  static func notAnEntry(
    _ attribute: AttributeSyntax, _ declaration: some DeclSyntaxProtocol
  ) -> Diagnostic {
    let keyword = declaration.as(VariableDeclSyntax.self)?.bindingSpecifier
    let isConstant = keyword?.tokenKind == .keyword(.let)
    let fixIt: FixIt =
      if isConstant, let keyword {
        .replacing(
          keyword, by: keyword.with(\.tokenKind, .keyword(.var)), "Replace 'let' with 'var'")
      } else { .removing(attribute) }
    return Diagnostic(
      node: attribute,
      message: Message(
        message: """
          '@DependencyEntry' can only be attached to a stored 'var' in an extension of \
          'DependencyValues'
          """, id: "notAnEntry"),
      fixIt: fixIt)
  }

  static func entryOfNoInstance(_ modifier: DeclModifierSyntax) -> Diagnostic {
    Diagnostic(
      node: modifier,
      message: Message(
        message: """
          '@DependencyEntry' cannot be attached to a '\(modifier.name.text)' property, because each \
          'DependencyValues' has its own values
          """, id: "entryOfNoInstance"),
      fixIt: .removing(modifier))
  }

  static func entryWithoutValue(_ binding: PatternBindingSyntax) -> Diagnostic {
    var complete = binding
    complete.typeAnnotation?.trailingTrivia = []
    complete.initializer = InitializerClauseSyntax(
      equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
      value: EditorPlaceholderExprSyntax(placeholder: .identifier("<#test value#>")))
    return Diagnostic(
      node: binding,
      message: Message(
        message: """
          '@DependencyEntry' needs the value of tests as the property's initial value, or a \
          'liveValue' to fall back on
          """, id: "entryWithoutValue"),
      fixIt: .replacing(binding, by: complete, "Insert '= <#test value#>'"))
  }
}
#endif
