import SwiftSyntax

/// A property that holds one function of a client.
struct Endpoint {
  var property: VariableDeclSyntax
  var binding: PatternBindingSyntax
  /// As it is written, with backticks if it has any.
  var identifier: TokenSyntax
  var type: TypeSyntax
  /// The shape of `type`, or nil where a type alias hides it.
  var function: FunctionTypeSyntax?

  init?(_ declaration: some DeclSyntaxProtocol) {
    guard let property = declaration.as(VariableDeclSyntax.self),
      let binding = property.bindings.first,
      let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed,
      let type = binding.typeAnnotation?.type.trimmed
    else { return nil }
    self.property = property
    self.binding = binding
    self.identifier = identifier
    self.type = type
    function = type.functionType
  }
}

extension Endpoint {
  /// The name without backticks, for people.
  var name: String { identifier.text.withoutBackticks }

  /// Where the implementation is kept; nil means unimplemented.
  var storage: TokenSyntax { generatedName("_") }
  /// The function that gives what is to be called: the implementation or its stand-in.
  var resolver: TokenSyntax { generatedName("_resolve_") }
  /// The function that makes the stand-in.
  var standIn: TokenSyntax { generatedName("_unimplemented_") }

  private func generatedName(_ prefix: String) -> TokenSyntax {
    let name = prefix + name
    return .identifier(name.isIdentifier ? name : "`\(name)`")
  }

  /// A reason for which neither a stand-in nor accessors can be made, if there is one.
  var isConstant: Bool { property.bindingSpecifier.tokenKind == .keyword(.let) }

  /// Whether calling it unimplemented has a way out without a default of the client's author.
  var hasWayOut: Bool {
    guard let function else { return true }
    return function.canThrow || function.returnsVoid || function.returnsOptional
  }
}
