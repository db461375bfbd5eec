#if PointFreeDependencies
import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// Nothing is expanded here then; a plug-in is a program all the same, and needs its entry.
@main struct NoMacros: CompilerPlugin {
  let providingMacros: [any Macro.Type] = []
}
#endif
