import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored property of a client, as its initialisers see it.
struct ClientProperty {
  var binding: PatternBindingSyntax
  var identifier: TokenSyntax
  var access: AccessLevel
  var isVariable: Bool
  var isEndpoint: Bool
}

extension ClientProperty {
  /// The properties that a declaration adds to the initialisers.
  static func all(in property: VariableDeclSyntax, aliases: Set<String>) -> [ClientProperty] {
    guard !property.isLeftAlone else { return [] }
    return property.bindings.compactMap { binding in
      guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed,
        !binding.isComputed
      else { return nil }
      let result = ClientProperty(
        binding: property.bindings.sharingType(with: binding), identifier: identifier,
        access: property.modifiers.accessLevel,
        isVariable: property.bindingSpecifier.tokenKind == .keyword(.var),
        isEndpoint: property.isEndpoint(aliases: aliases))
      return result.isInInitialisers ? result : nil
    }
  }

  private var isInInitialisers: Bool {
    binding.initializer == nil || isVariable && access != .private
  }

  /// The type that is written or that a literal tells.
  var type: TypeSyntax? {
    binding.typeAnnotation?.type.trimmed ?? binding.initializer?.value.literalType
  }

  /// `play: @escaping (URL) -> Void`, or nil where the type is unknown.
  var parameter: String? {
    guard let type else { return nil }
    let isFunction = isEndpoint || type.functionType != nil
    let value = isEndpoint ? nil : defaultValue
    let written = isFunction ? type.escaping : "\(type)"
    return "\(identifier): \(written)\(value.map { " = \($0)" } ?? "")"
  }

  /// What an initialiser sets; not an endpoint itself, which may be deprecated.
  var storage: TokenSyntax { isEndpoint ? Endpoint.storage(of: identifier) : identifier }

  private var defaultValue: String? {
    if let initializer = binding.initializer { return initializer.value.trimmedDescription }
    let isOptional = type?.is(OptionalTypeSyntax.self) == true
    return isVariable && isOptional ? "nil" : nil
  }
}

extension VariableDeclSyntax {
  /// Whether no initialiser has to do with it.
  private var isLeftAloneByModifiers: Bool {
    modifiers.contains(.static) || modifiers.contains(.lazy)
  }

  fileprivate var isLeftAlone: Bool {
    isLeftAloneByModifiers || attributes.contains("DependencyEndpointIgnored")
      || attributes.contains("Dependency")
  }

  /// Whether it is an endpoint of a client, marked as one or by its type.
  func isEndpoint(aliases: Set<String>) -> Bool {
    guard !isLeftAlone else { return false }
    if attributes.contains("DependencyEndpoint") { return true }
    guard bindingSpecifier.tokenKind == .keyword(.var), let binding = bindings.first,
      !binding.isComputed, let type = binding.typeAnnotation?.type
    else { return false }
    return type.functionType != nil
      || type.as(IdentifierTypeSyntax.self).map { aliases.contains($0.name.text) } == true
  }
}

extension PatternBindingSyntax {
  var isComputed: Bool {
    switch accessorBlock?.accessors {
    case nil: false
    case .getter: true
    case .accessors(let accessors):
      !accessors.allSatisfy {
        [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
      }
    }
  }
}

extension PatternBindingListSyntax {
  /// A binding with the type that follows it: `a` of `var a, b: Int` is an `Int`.
  fileprivate func sharingType(with binding: PatternBindingSyntax) -> PatternBindingSyntax {
    guard binding.typeAnnotation == nil, binding.initializer == nil else { return binding }
    let following = drop { $0.id != binding.id }.first { $0.typeAnnotation != nil }
    return binding.with(\.typeAnnotation, following?.typeAnnotation)
  }
}

extension ExprSyntax {
  fileprivate var literalType: TypeSyntax? {
    switch kind {
    case .booleanLiteralExpr: "Swift.Bool"
    case .floatLiteralExpr: "Swift.Double"
    case .integerLiteralExpr: "Swift.Int"
    case .stringLiteralExpr: "Swift.String"
    default: nil
    }
  }
}
