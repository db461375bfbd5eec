#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxMacros

extension MacroExpansionContext {
  /// The body of a function that is never called: calls of `_Checks` under the line of a node.
  ///
  /// The first is whether the function is isolated, and so the declaration around it.
  func checks(in function: String, on node: some SyntaxProtocol, _ calls: [String] = []) -> String {
    let checks = "ClientDependenciesMacros._Checks."
    let calls =
      ["let isolation = \(checks)isolation(of: \(function))"]
      + (["isNonisolated(isolation)"] + calls).map { checks + $0 }
    guard let place = location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath) else {
      return calls.joined(separator: "\n")
    }
    let line = "#sourceLocation(file: \(place.file), line: \(place.line))"
    return (calls.flatMap { [line, $0] } + ["#sourceLocation()"]).joined(separator: "\n")
  }
}
#endif
