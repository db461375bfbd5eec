import Glibc
import Wyoming

/// The reason that a connection cannot be made or used.
enum LinkError: Error, Equatable {
  /// The other end closed the connection.
  case ended
  case timedOut(Duration)
  case interrupted
  case noFrames(FrameError)
  case refused(String)
  case hostUnknown(host: String, reason: String)
  case pathTooLong
  case noCommand
  /// A system call failed, with this `errno`.
  case system(Int32)

  /// Whether the other end closed the connection, without a further reason.
  var isEnd: Bool {
    switch self {
    case .ended, .system(EPIPE), .system(ECONNRESET): true
    default: false
    }
  }
}

extension LinkError: CustomStringConvertible {
  var description: String {
    switch self {
    case .ended: "the server closed the connection"
    case .timedOut(let time): "the server did not answer within \(time)"
    case .interrupted: "it was interrupted"
    case .noFrames(let error): "the server does not speak the Wyoming protocol: \(error)"
    case .refused(let text): "the server says: \(text)"
    case .hostUnknown(let host, let reason): "the host \(host) was not found: \(reason)"
    case .pathTooLong: "the path of a socket has at most 107 bytes"
    case .noCommand: "there is no command to start; give one as stdio:COMMAND"
    case .system(let code): "\(String(cString: strerror(code))) (errno \(code))"
    }
  }
}
