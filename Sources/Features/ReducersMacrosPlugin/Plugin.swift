import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main struct ReducersPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    CasePathableMacro.self, MarkerMacro.self, ObservableStateMacro.self, PresentsMacro.self,
    ReducerMacro.self, ViewActionMacro.self,
  ]
}
