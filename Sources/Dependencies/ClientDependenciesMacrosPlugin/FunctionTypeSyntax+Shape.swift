#if !PointFreeDependencies
import SwiftSyntax

extension TypeSyntax {
  /// The function type inside attributes and parentheses.
  var functionType: FunctionTypeSyntax? {
    if let function = self.as(FunctionTypeSyntax.self) { return function }
    if let attributed = self.as(AttributedTypeSyntax.self) {
      return attributed.baseType.functionType
    }
    guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 else { return nil }
    return tuple.elements.first?.type.functionType
  }

  /// The attributes of a function type, as in `@MainActor @Sendable () -> Void`.
  var functionAttributes: [AttributeSyntax] {
    guard let attributed = self.as(AttributedTypeSyntax.self) else { return [] }
    return attributed.attributes.compactMap { $0.as(AttributeSyntax.self)?.trimmed }
  }

  /// The type as a parameter that escapes if it is a function.
  var escaping: String {
    if let tuple = self.as(TupleTypeSyntax.self), let inner = tuple.elements.first?.type {
      return inner.escaping
    }
    guard let attributed = self.as(AttributedTypeSyntax.self) else { return "@escaping \(trimmed)" }
    return
      "\(attributed.specifiers)@escaping \(attributed.attributes)\(attributed.baseType.trimmed)"
  }

  /// Whether it is written as an optional: `Int?`, `Int!`, `(Int?)` or `Optional<Int>`.
  var isOptional: Bool {
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.isOptional }
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
      return tuple.elements.first?.type.isOptional == true
    }
    return self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
      || lastName == "Optional"
  }

  /// The last part of a type's name: `Int` of `Swift.Int`.
  var lastName: String? {
    self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text
  }
}

extension FunctionTypeSyntax {
  /// The error that `throws(E)` names.
  var thrownType: TypeSyntax? { effectSpecifiers?.throwsClause?.type?.trimmed }

  var canThrow: Bool {
    effectSpecifiers?.throwsClause != nil && thrownType?.lastName != "Never"
  }

  /// Whether it throws any error, so that an unimplemented call always has one to throw.
  var throwsAnyError: Bool {
    guard canThrow else { return false }
    guard let thrownType else { return true }
    guard let existential = thrownType.as(SomeOrAnyTypeSyntax.self) else { return false }
    return existential.constraint.lastName == "Error"
  }

  var isAsync: Bool { effectSpecifiers?.asyncSpecifier != nil }

  var returnsVoid: Bool {
    let type = returnClause.type
    return type.lastName == "Void" || type.as(TupleTypeSyntax.self)?.elements.isEmpty == true
  }

  var returnsOptional: Bool { returnClause.type.isOptional }

  /// Whether any parameter has a label, as in `(_ url: URL) -> Void`.
  var hasLabels: Bool { parameters.contains { $0.secondName != nil } }

  /// Whether a method can forward its parameters, which it cannot with `Int...`.
  var isForwardable: Bool { parameters.allSatisfy { $0.ellipsis == nil } }
}

extension TypeSyntax {
  /// The type that names a key: `User` for `[User]?`, `APIClient` for `any APIClient`.
  var subject: String? {
    if let lastName { return lastName.withoutBackticks }
    switch self.as(TypeSyntaxEnum.self) {
    case .someOrAnyType(let type): return type.constraint.subject
    case .optionalType(let type): return type.wrappedType.subject
    case .implicitlyUnwrappedOptionalType(let type): return type.wrappedType.subject
    case .arrayType(let type): return type.element.subject
    case .attributedType(let type): return type.baseType.subject
    case .metatypeType(let type): return type.baseType.subject
    case .dictionaryType(let type): return Self.joined([type.key, type.value])
    case .tupleType(let type): return Self.joined(type.elements.map(\.type))
    case .compositionType(let type): return Self.joined(type.elements.map(\.type))
    default: return nil
    }
  }

  private static func joined(_ types: [TypeSyntax]) -> String? {
    let subjects = types.compactMap(\.subject)
    return subjects.count == types.count && !subjects.isEmpty ? subjects.joined() : nil
  }
}
#endif
