import Glibc

/// A failed system call, usually because of a limit (`ulimit -n`, `ulimit -u`).
public struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The failure without its cause, such as "no thread could be started".
  public let failure: String

  /// The `errno` value of the call.
  public let code: Int32

  /// The failure and its cause, for users.
  public var description: String {
    "\(failure): \(String(cString: strerror(code))) (errno \(code))"
  }
}
