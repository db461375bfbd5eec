#if !PointFreeDependencies
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The default of an initialiser's parameter that may be an endpoint.
///
/// It is expanded where the initialiser is called without the argument, and only there it must
/// compile: which it does for a function. The closure has two statements so that its type is that
/// of the parameter exactly; one expression could be any function that converts to it.
enum UnimplementedEndpointMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    """
    ClientDependenciesMacros._UnimplementedEndpoint.standIn(\(node.arguments)) {
    let none = $1
    return $0.closure(like: none)
    }
    """
  }
}
#endif
