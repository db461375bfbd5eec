import SpeechClient

/// The reason that the server ends a connection.
///
/// Each protocol tells the client in its own way.
struct ServerFault: Error, Equatable {
  /// A stable code for programs.
  let code: String
  let text: String

  static let busy = ServerFault(
    code: "busy", text: "too many clients are connected; try again later")

  static func idle(_ time: Duration) -> ServerFault {
    ServerFault(code: "idle", text: "the client sent no audio, or read no events, for \(time)")
  }

  static let replaced = ServerFault(
    code: "idle", text: "the client sent no audio, and its place was needed for one that did")

  static func unexpected(_ text: String) -> ServerFault {
    ServerFault(code: "unexpected", text: text)
  }

  /// Returns the fault for an error of a recognition.
  static func recognition(_ error: any Error) -> ServerFault {
    switch error {
    case SpeechClientError.unavailable: ServerFault(code: "unavailable", text: "\(error)")
    case SpeechClientError.noResources: ServerFault(code: "busy", text: "\(error)")
    default: ServerFault(code: "failed", text: "\(error)")
    }
  }
}
