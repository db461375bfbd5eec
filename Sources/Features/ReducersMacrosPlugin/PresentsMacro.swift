import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Stores an optional property in a `PresentationState`, which is the property's `$` projection.
enum PresentsMacro {
  /// The property, if the macro can be applied to it.
  private struct Property {
    let name: String
    let wrapped: String
    let initial: String
    let access: String

    init?(_ declaration: some DeclSyntaxProtocol) {
      guard let property = declaration.as(VariableDeclSyntax.self),
        property.bindingSpecifier.tokenKind == .keyword(.var), property.bindings.count == 1,
        let binding = property.bindings.first, binding.accessorBlock == nil,
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
        let type = binding.typeAnnotation?.type
      else { return nil }
      if let optional = type.as(OptionalTypeSyntax.self) {
        wrapped = optional.wrappedType.trimmedDescription
      } else if let named = type.as(IdentifierTypeSyntax.self), named.name.text == "Optional",
        let argument = named.genericArgumentClause?.arguments.first
      {
        wrapped = argument.argument.trimmedDescription
      } else {
        return nil
      }
      self.name = name
      initial = binding.initializer?.value.trimmedDescription ?? "nil"
      access = property.modifiers.accessPrefix
    }
  }
}

extension PresentsMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = Property(declaration) else { return [] }
    return [
      """
      @storageRestrictions(initializes: _\(raw: property.name))
      init(initialValue) {
      _\(raw: property.name) = Reducers.PresentationState(wrappedValue: initialValue)
      }
      """,
      "get { _\(raw: property.name).wrappedValue }",
      "set { _\(raw: property.name).wrappedValue = newValue }",
      "_modify { yield &_\(raw: property.name).wrappedValue }",
    ]
  }
}

extension PresentsMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = Property(declaration) else {
      context.report(
        """
        '@Presents' keeps one stored, optional property: write '@Presents var sheet: Edit.State?'
        """, id: "notPresentable", at: node)
      return []
    }
    let type = "Reducers.PresentationState<\(property.wrapped)>"
    return [
      "private var _\(raw: property.name): \(raw: type) = \(raw: type)(wrappedValue: nil)",
      """
      \(raw: property.access)var $\(raw: property.name): \(raw: type) {
      get { _\(raw: property.name) }
      set { _\(raw: property.name) = newValue }
      _modify { yield &_\(raw: property.name) }
      }
      """,
    ]
  }
}
