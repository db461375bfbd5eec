import SpeechClient
import Wyoming

/// Why the server ends a connection; the client is told.
struct ServerFault: Error, Equatable {
  /// What a program can tell it by.
  let code: String
  let text: String

  static let busy = ServerFault(
    code: "busy", text: "too many clients are connected; try again later")

  static func idle(_ time: Duration) -> ServerFault {
    ServerFault(code: "idle", text: "the client sent no audio, or read no events, for \(time)")
  }

  static func malformed(_ error: FrameError) -> ServerFault {
    ServerFault(code: "malformed", text: "\(error)")
  }

  static func audioFormat(_ error: AudioFormatError) -> ServerFault {
    ServerFault(code: "audio-format", text: "\(error)")
  }

  static func unexpected(_ text: String) -> ServerFault {
    ServerFault(code: "unexpected", text: text)
  }

  /// What a recognition ended with.
  static func recognition(_ error: any Error) -> ServerFault {
    switch error {
    case SpeechClientError.unavailable: ServerFault(code: "unavailable", text: "\(error)")
    case SpeechClientError.noResources: ServerFault(code: "busy", text: "\(error)")
    default: ServerFault(code: "failed", text: "\(error)")
    }
  }

  var event: WyomingEvent {
    WyomingEvent("error", ["text": .string(text), "code": .string(code)])
  }
}
