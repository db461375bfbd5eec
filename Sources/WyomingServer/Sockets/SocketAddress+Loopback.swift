import NIOCore
import Wyoming

extension SocketAddress {
  /// Whether only this machine reaches it.
  var isLoopback: Bool {
    // The system's own spelling, which is the shortest.
    guard let number = ipAddress else { return true }
    return number.hasPrefix("127.") || number == "::1" || number.hasPrefix("::ffff:127.")
  }
}

extension WyomingAddress {
  /// The address as clients write it.
  init?(_ address: SocketAddress?) {
    guard let address else { return nil }
    if let path = address.pathname, address.port == nil {
      self = .unix(path: path)
    } else if let host = address.ipAddress, let port = address.port {
      self = .tcp(host: host, port: port)
    } else {
      return nil
    }
  }
}
