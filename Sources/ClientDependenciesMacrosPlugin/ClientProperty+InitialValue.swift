#if !PointFreeDependencies
import SwiftSyntax

/// How a public initialiser comes by an initial value.
///
/// Its default arguments may name only what is public, an initial value may name anything. So it
/// stands in a function, which they call. That is one overload for each property.
extension ClientProperty {
  /// Whether the initial value may name what is not public.
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
#endif
