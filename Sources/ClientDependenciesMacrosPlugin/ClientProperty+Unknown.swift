#if !PointFreeDependencies
import SwiftSyntax

/// How an initialiser takes a property whose type may be an alias of a function type.
///
/// A parameter of such a type would not be escaping if it is a function's, and the macro cannot
/// say `@escaping` if it may be another one. The associated type of a generic parameter is kept
/// either way; what it is comes from the default of a further parameter that nobody passes.
extension ClientProperty {
  private var generic: String { "_TypeOf_\(identifier.text.withoutBackticks)" }

  /// `Fetch`, or what stands for it in the initialiser.
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

  /// The default that is an unimplemented function, and for any other type a compiler's error.
  func standIn(in client: String) -> String? {
    guard isUnknown, isVariable, binding.initializer == nil else { return nil }
    let endpoint = "\(client).\(identifier.text.withoutBackticks)"
    return "#_ClientDependenciesMacros_unimplementedEndpoint(\"\(endpoint)\")"
  }
}
#endif
