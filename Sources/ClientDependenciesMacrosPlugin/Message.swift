#if !PointFreeDependencies
import SwiftDiagnostics

/// What is wrong with how a macro is used, or how that can be mended.
struct Message: DiagnosticMessage, FixItMessage {
  var message: String
  var id: String
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID {
    MessageID(domain: "ClientDependenciesMacros", id: id)
  }

  var fixItID: MessageID { diagnosticID }
}
#endif
