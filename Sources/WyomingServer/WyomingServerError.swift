/// Why a server cannot listen.
public enum WyomingServerError: Error, Equatable {
  /// The address can be reached from other machines, and that has not been allowed.
  case remoteAddress(String)
  /// Somebody listens there already, or something else than a socket is there.
  case addressInUse(String)
  /// The system refuses the address; the reason is its own.
  case cannotListen(address: String, reason: String)
}

extension WyomingServerError: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    switch self {
    case .remoteAddress(let address):
      """
      \(address) can be reached from other machines, and the protocol has no passwords: listen on \
      tcp://127.0.0.1:10300, or allow remote clients
      """
    case .addressInUse(let address): "\(address) is in use; listen on another address"
    case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
    }
  }
}
