#if PointFreeDependencies
import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// An empty plug-in: a compiler plug-in is a program, and needs an entry point even without macros.
@main struct NoMacros: CompilerPlugin {
  let providingMacros: [any Macro.Type] = []
}
#endif
