#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored property of a client, as its initialisers see it.
struct ClientProperty {
  var binding: PatternBindingSyntax
  var identifier: TokenSyntax
  var access: AccessLevel
  var isVariable: Bool
  var isEndpoint: Bool
  /// Whether its type may be an alias of a function type.
  var isUnknown: Bool
}

extension ClientProperty {
  /// The properties that a declaration adds to the initialisers.
  static func all(in property: VariableDeclSyntax, names: ClientNames) -> [ClientProperty] {
    guard !property.isLeftAlone else { return [] }
    return property.bindings.compactMap { binding in
      guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed,
        !binding.isComputed
      else { return nil }
      let result = ClientProperty(
        binding: property.bindings.sharingType(with: binding), identifier: identifier,
        access: property.modifiers.accessLevel,
        isVariable: property.bindingSpecifier.tokenKind == .keyword(.var),
        isEndpoint: property.isEndpoint(names: names),
        isUnknown: property.isUnknown(names: names))
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
  ///
  /// - Parameters:
  ///   - value: Its default where the property itself has none.
  ///   - isPublic: Whether the initialiser is public.
  func parameter(default value: String?, isPublic: Bool) -> String? {
    guard let type else { return nil }
    let isFunction = isEndpoint || type.functionType != nil
    let value = isEndpoint ? nil : defaultValue(isPublic: isPublic) ?? value
    let written = isUnknown ? unknownParameterType : isFunction ? type.escaping : "\(type)"
    return "\(identifier): \(written)\(value.map { " = \($0)" } ?? "")"
  }

  /// What an initialiser sets; not an endpoint itself, which may be deprecated.
  var storage: TokenSyntax { isEndpoint ? Endpoint.storage(of: identifier) : identifier }

  private func defaultValue(isPublic: Bool) -> String? {
    if let initializer = binding.initializer {
      return isPublic && hasHiddenInitialValue
        ? callOfInitialValue : initializer.value.trimmedDescription
    }
    return isVariable && type?.isOptional == true ? "nil" : nil
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
  func isEndpoint(names: ClientNames) -> Bool {
    guard !isLeftAlone else { return false }
    if attributes.contains("DependencyEndpoint") {
      return bindings.first?.typeAnnotation?.type.isNoFunction != true
    }
    guard bindingSpecifier.tokenKind == .keyword(.var), let binding = bindings.first,
      !binding.isComputed, let type = binding.typeAnnotation?.type
    else { return false }
    return type.functionType != nil || names.isFunction(type)
      || binding.initializer?.value.is(ClosureExprSyntax.self) == true
  }

  /// Whether it is no endpoint by what is written, but may be one.
  fileprivate func isUnknown(names: ClientNames) -> Bool {
    guard !isEndpoint(names: names), attributes.isEmpty, bindings.count == 1,
      let binding = bindings.first, binding.accessorBlock == nil,
      let type = binding.typeAnnotation?.type
    else { return false }
    return names.isUnknown(type)
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
#endif
