#if !PointFreeDependencies
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

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
          writes an initialiser with it
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
#endif
