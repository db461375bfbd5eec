#if !PointFreeDependencies
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

  /// Takes an attribute or a modifier off its declaration.
  static func removing(_ word: some SyntaxProtocol) -> FixIt {
    FixIt(
      message: Message(message: "Remove '\(word.trimmed)'", id: "fix"),
      changes: [
        .replace(
          oldNode: Syntax(word),
          newNode: Syntax(TokenSyntax.identifier("", leadingTrivia: word.leadingTrivia)))
      ])
  }
}
#endif
