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

  /// Takes an attribute off its declaration.
  static func removing(_ attribute: AttributeSyntax) -> FixIt {
    FixIt(
      message: Message(message: "Remove '\(attribute.trimmed)'", id: "fix"),
      changes: [
        .replaceText(
          range: attribute.positionAfterSkippingLeadingTrivia..<attribute.endPosition, with: "",
          in: Syntax(attribute))
      ])
  }
}
#endif
