import FilePaths
import FoundationEssentials
import Glibc

/// Where an address on the web leads, which FFmpeg itself would follow to any host.
package enum WebRedirection {
  /// The most redirections that are followed.
  static let mostSteps = 8

  /// The address that a redirection or a playlist entry names, relative to `base`; nil if it is not
  /// on the web.
  ///
  /// - Parameter base: the address of the server's answer.
  package static func address(_ text: String, in base: String) -> String? {
    URL(string: text, relativeTo: URL(string: base))?.absoluteURL.webAddress
  }

  /// The address that a redirection names, relative to `base`; nil if it is not on the web.
  ///
  /// - Parameters:
  ///   - base: the address of the server's answer.
  ///   - first: the address that the user gave.
  /// - Throws: `.cannotRead` if it is in a private network, or not known to be outside, and `first`
  ///   is not: servers on the internet have no business there.
  static func address(
    _ text: String, in base: String, from first: String
  ) throws(SoundFileError) -> String? {
    guard let target = address(text, in: base) else { return nil }
    guard isAllowed(target, from: first) else {
      throw .cannotRead(
        path: first,
        reason: "it leads to \(target.printable), which is in a private network or unknown")
    }
    return target
  }

  /// Whether a redirection may lead to an address.
  static func isAllowed(_ address: String, from first: String) -> Bool {
    isPrivate(first) == true || isPrivate(address) == false
  }

  /// Whether the host of an address is this machine or in a private network; nil if it has none, or
  /// an unknown one.
  ///
  /// The corresponding C function is `getaddrinfo`.
  package static func isPrivate(_ address: String) -> Bool? {
    guard let host = URL(string: address)?.host(), !host.isEmpty else { return nil }
    var list: UnsafeMutablePointer<addrinfo>?
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    guard getaddrinfo(name, nil, nil, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    var next = list
    while let entry = next?.pointee {
      guard let address = entry.ai_addr,
        !isPrivate(address.pointee.sa_family, UnsafeRawPointer(address))
      else { return true }
      next = entry.ai_next
    }
    return false
  }

  private static func isPrivate(_ family: sa_family_t, _ address: UnsafeRawPointer) -> Bool {
    switch Int32(family) {
    case AF_INET:
      // The address is after the family and the port.
      return isPrivate((4..<8).map { address.load(fromByteOffset: $0, as: UInt8.self) })
    case AF_INET6:
      // There, the flow information precedes it.
      let bytes = (8..<24).map { address.load(fromByteOffset: $0, as: UInt8.self) }
      let isOfIPv4 =
        bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10..<12].allSatisfy { $0 == 0xFF }
        || bytes.starts(with: [0, 0x64, 0xFF, 0x9B])
      if isOfIPv4 { return isPrivate(Array(bytes[12...])) }
      // An address of IPv4 as a network of IPv6.
      if bytes.starts(with: [0x20, 0x02]) { return isPrivate(Array(bytes[2..<6])) }
      // Unspecified and loopback; unique local, link-local and site-local, and multicast.
      return bytes.prefix(15).allSatisfy { $0 == 0 } || bytes[0] & 0xFE == 0xFC
        || (bytes[0] == 0xFE && bytes[1] & 0x80 != 0) || bytes[0] == 0xFF
    default: return true
    }
  }

  /// - Parameter bytes: an address of IPv4.
  private static func isPrivate(_ bytes: [UInt8]) -> Bool {
    switch (bytes[0], bytes[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127),
      (198, 18...19), (224...255, _):
      true
    default: false
    }
  }
}
