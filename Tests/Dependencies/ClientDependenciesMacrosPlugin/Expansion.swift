import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

private let allMacros: [String: any Macro.Type] = [
  "DependencyClient": DependencyClientMacro.self,
  "DependencyEndpoint": DependencyEndpointMacro.self,
  "DependencyEndpointIgnored": DependencyEndpointIgnoredMacro.self,
  "DependencyEntry": DependencyEntryMacro.self,
  "_DependencyEntryValue": DependencyEntryValueMacro.self,
  "_ClientDependenciesMacros_unimplementedEndpoint": UnimplementedEndpointMacro.self,
]

/// Expands the named macros of a source, and compares the expansion, the diagnostics, and the
/// source after all fix-its.
func expectExpansion(
  of source: String, with macros: [String], to expected: String,
  diagnostics: [DiagnosticSpec] = [], fixed: String? = nil,
  sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  assertMacroExpansion(
    source, expandedSource: expected, diagnostics: diagnostics,
    macroSpecs: allMacros.filter { macros.contains($0.key) }.mapValues { MacroSpec(type: $0) },
    fixedSource: fixed, indentationWidth: .spaces(2),
    failureHandler: { failure in
      Issue.record(Comment(rawValue: failure.message), sourceLocation: sourceLocation)
    })
}

/// Expects one diagnostic about a source, and the result of its fix-it.
func expectDiagnostic(
  _ source: String, with macros: [String], _ diagnostic: DiagnosticSpec, fixed: String,
  sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  assertMacroExpansion(
    source, expandedSource: "", diagnostics: [diagnostic],
    macroSpecs: allMacros.filter { macros.contains($0.key) }.mapValues { MacroSpec(type: $0) },
    fixedSource: fixed, indentationWidth: .spaces(2),
    failureHandler: { failure in
      // If the source is faulty, its expansion does not matter.
      guard !failure.message.hasPrefix("Macro expansion did not produce") else { return }
      Issue.record(Comment(rawValue: failure.message), sourceLocation: sourceLocation)
    })
}
