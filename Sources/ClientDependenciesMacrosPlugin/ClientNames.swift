#if !PointFreeDependencies
import SwiftSyntax

/// What the names of types mean in a client, as far as its source shows.
struct ClientNames {
  /// Type aliases of function types in the struct itself.
  private var functions: Set<String>
  /// What is no function: types in the struct, its generic parameters, and what everybody knows.
  private var values: Set<String>

  init(_ declaration: StructDeclSyntax) {
    let members = declaration.memberBlock.members.map(\.decl)
    let aliases = members.compactMap { $0.as(TypeAliasDeclSyntax.self) }
    functions = Set(
      aliases.filter { $0.initializer.value.functionType != nil }.map(\.name.text))
    let parameters = declaration.genericParameterClause?.parameters.map(\.name.text) ?? []
    values = Self.wellKnown.union(parameters).union(members.compactMap(\.nameOfNominalType))
  }
}

extension ClientNames {
  /// Whether the name is that of a function type.
  func isFunction(_ type: TypeSyntax) -> Bool {
    type.as(IdentifierTypeSyntax.self).map { functions.contains($0.name.text) } == true
  }

  /// Whether the name may be that of a function type or of any other.
  func isUnknown(_ type: TypeSyntax) -> Bool {
    if isFunction(type) { return false }
    if let member = type.as(MemberTypeSyntax.self) {
      return !["Swift", "Foundation"].contains(member.baseType.trimmedDescription)
    }
    return type.as(IdentifierTypeSyntax.self).map { !values.contains($0.name.text) } == true
  }

  /// Types that everybody knows to be no functions.
  static let wellKnown: Set = [
    "Any", "AnyHashable", "AnyObject", "Array", "Bool", "Calendar", "Character", "Data", "Date",
    "Decimal", "Dictionary", "Double", "Duration", "Float", "Int", "Int16", "Int32", "Int64",
    "Int8", "Locale", "Optional", "Result", "Self", "Set", "String", "Substring", "TimeZone",
    "UInt", "UInt16", "UInt32", "UInt64", "UInt8", "URL", "UUID",
  ]
}

extension DeclSyntax {
  fileprivate var nameOfNominalType: String? {
    switch self.as(DeclSyntaxEnum.self) {
    case .structDecl(let type): type.name.text
    case .enumDecl(let type): type.name.text
    case .classDecl(let type): type.name.text
    case .actorDecl(let type): type.name.text
    default: nil
    }
  }
}
#endif
