#if !PointFreeDependencies
import SwiftSyntax

extension TypeSyntax {
  /// What a key of this type is named for: `User` of `[User]?`, `APIClient` of `any APIClient`.
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
