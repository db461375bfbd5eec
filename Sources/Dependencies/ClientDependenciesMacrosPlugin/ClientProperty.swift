#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored property of a client as a parameter of its initializers.
struct ClientProperty {
  var binding: PatternBindingSyntax
  var identifier: TokenSyntax
  var access: AccessLevel
  var isVariable: Bool
  var isEndpoint: Bool
  /// Whether the property's type may be an alias of a function type.
  var isUnknown: Bool
}

extension ClientProperty {
  /// Returns the stored properties that a declaration adds to the initializers.
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
      return result.isInInitializers ? result : nil
    }
  }

  private var isInInitializers: Bool {
    binding.initializer == nil || isVariable && access != .private
  }

  /// The annotated type, or the type of a literal.
  var type: TypeSyntax? {
    binding.typeAnnotation?.type.trimmed ?? binding.initializer?.value.literalType
  }

  /// Returns the parameter, as in `play: @escaping (URL) -> Void`; nil if the type is unknown.
  ///
  /// - Parameters:
  ///   - value: the default of the parameter, unless the property has an initial value.
  ///   - isPublic: whether the initializer is public.
  func parameter(default value: String?, isPublic: Bool) -> String? {
    guard let type else { return nil }
    let isFunction = isEndpoint || type.functionType != nil
    let value = isEndpoint ? nil : defaultValue(isPublic: isPublic) ?? value
    let written = isUnknown ? unknownParameterType : isFunction ? type.escaping : "\(type)"
    return "\(identifier): \(written)\(value.map { " = \($0)" } ?? "")"
  }

  /// The property that an initializer sets: for an endpoint its storage, because the endpoint
  /// itself may be deprecated.
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
  /// Whether modifiers or attributes exclude the property from the initializers.
  fileprivate var isLeftAlone: Bool {
    modifiers.contains(.static) || modifiers.contains(.lazy)
      || attributes.contains("DependencyEndpointIgnored") || attributes.contains("Dependency")
  }

  /// Whether the property is an endpoint of a client, by an attribute or by its type.
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

  /// Whether the property may be an endpoint, because its type may be an alias of a function type.
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
  /// Returns a binding with the type of a later binding: in `var a, b: Int`, `a` is an `Int`.
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

/// The initial values of a public initializer's parameters.
///
/// A default argument of a public initializer may name only public declarations, but an initial
/// value may name anything. A generated function therefore returns the initial value, and the
/// default argument calls the function. Each property has its own overload.
extension ClientProperty {
  /// Whether the initial value may name declarations that are not public.
  var hasHiddenInitialValue: Bool {
    guard !isEndpoint, let value = binding.initializer?.value else { return false }
    return !value.isMadeOfLiterals
  }

  var callOfInitialValue: String { "Self._initialValue(\(identifier): ())" }

  var functionOfInitialValue: String? {
    guard hasHiddenInitialValue, let type, let value = binding.initializer?.value else {
      return nil
    }
    return """
      @usableFromInline static func _initialValue(\(identifier) _: Void) -> \(type) {
      \(value.trimmed)
      }
      """
  }
}

extension ExprSyntax {
  fileprivate var isMadeOfLiterals: Bool {
    switch self.as(ExprSyntaxEnum.self) {
    case .booleanLiteralExpr, .floatLiteralExpr, .integerLiteralExpr, .nilLiteralExpr: true
    case .stringLiteralExpr: plainString != nil
    case .prefixOperatorExpr(let negated): negated.expression.isMadeOfLiterals
    case .arrayExpr(let array): array.elements.allSatisfy(\.expression.isMadeOfLiterals)
    case .dictionaryExpr(let dictionary):
      dictionary.content.as(DictionaryElementListSyntax.self)?
        .allSatisfy { $0.key.isMadeOfLiterals && $0.value.isMadeOfLiterals } ?? true
    default: false
    }
  }
}

/// Parameters of an initializer whose type may be an alias of a function type.
///
/// A function type requires `@escaping`, other types forbid it, and the macro cannot see which kind
/// the type is. The parameter therefore has an associated type of a generic parameter, which works
/// for both kinds. An additional parameter, which callers never pass, lets the compiler infer the
/// generic parameter.
extension ClientProperty {
  private var generic: String { "_TypeOf_\(identifier.text.withoutBackticks)" }

  /// The type of the parameter, which replaces the property's type in the initializer.
  var unknownParameterType: String { "\(generic).Kept" }

  var genericParameter: String? {
    isUnknown ? "\(generic): ClientDependenciesMacros._ParameterType" : nil
  }

  var requirement: String? {
    isUnknown ? type.map { "\(unknownParameterType) == \($0)" } : nil
  }

  var parameterOfType: String? {
    guard isUnknown, let type else { return nil }
    return "_: \(generic).Type = ClientDependenciesMacros._TypeOfParameter<\(type)>.self"
  }

  /// Returns an unimplemented function as the default of a property that may be a function.
  ///
  /// The default does not compile if the property turns out not to be a function.
  func standIn(in client: String) -> String? {
    guard isUnknown, isVariable, binding.initializer == nil else { return nil }
    let endpoint = "\(client).\(identifier.text.withoutBackticks)"
    return "#_ClientDependenciesMacros_unimplementedEndpoint(\"\(endpoint)\")"
  }
}
#endif
