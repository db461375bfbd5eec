#if !PointFreeDependencies
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
  /// Whether other modules may inline its calls: it and the type around it are public.
  var isInlinable: Bool

  init?(_ declaration: some DeclSyntaxProtocol, in context: [Syntax] = []) {
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
    isInlinable =
      property.modifiers.accessLevel == .public && context.count == 1
      && context.first?.as(StructDeclSyntax.self)?.modifiers.accessLevel == .public
  }
}

extension Endpoint {
  /// The name without backticks, for people.
  var name: String { identifier.text.withoutBackticks }

  /// Where the implementation is kept; nil means unimplemented.
  var storage: TokenSyntax { Self.storage(of: identifier) }
  /// The function that makes what is called instead while there is no implementation.
  var standIn: TokenSyntax { Self.name(for: identifier, prefix: "_standIn_") }
  /// The function that makes the stand-in of one report.
  var unimplemented: TokenSyntax { Self.name(for: identifier, prefix: "_unimplemented_") }

  static func storage(of identifier: TokenSyntax) -> TokenSyntax {
    name(for: identifier, prefix: "_implementation_")
  }

  private static func name(for identifier: TokenSyntax, prefix: String) -> TokenSyntax {
    let name = prefix + identifier.text.withoutBackticks
    return .identifier(name.isIdentifier ? name : "`\(name)`")
  }

  /// The access level of what the method uses.
  var hidden: String { isInlinable ? "@usableFromInline internal" : "private" }

  var isConstant: Bool { property.bindingSpecifier.tokenKind == .keyword(.let) }

  /// Whether calling it unimplemented has a way out without a default of the client's author.
  var hasWayOut: Bool {
    guard let function else { return true }
    return function.canThrow || function.returnsVoid || function.returnsOptional
  }
}
#endif
