import SwiftDiagnostics
import SwiftSyntax

extension FixIt {
  static func replacing(
    _ old: some SyntaxProtocol, by new: some SyntaxProtocol, _ message: String
  ) -> FixIt {
    FixIt(
      message: Message(message: message, id: "fix"),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }

  /// Takes an attribute off its declaration.
  static func removing(
    _ attribute: AttributeSyntax, of declaration: some DeclSyntaxProtocol
  ) -> FixIt {
    let message = "Remove '\(attribute.trimmed)'"
    guard let attributes = attribute.parent?.as(AttributeListSyntax.self) else {
      return .replacing(declaration, by: declaration.trimmed, message)
    }
    return .replacing(
      attributes, by: attributes.filter { $0.as(AttributeSyntax.self)?.id != attribute.id },
      message)
  }
}
