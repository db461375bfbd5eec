#if !PointFreeDependencies
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main struct ClientDependenciesPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    DependencyClientMacro.self,
    DependencyEndpointMacro.self,
    DependencyEndpointIgnoredMacro.self,
    DependencyEntryMacro.self,
    DependencyEntryValueMacro.self,
    UnimplementedEndpointMacro.self,
  ]
}
#endif
