import AudioThreads
import FilePaths
import FoundationEssentials
import Glibc

/// The response of a web server: its headers, and the beginning of its content.
package struct WebAnswer: Sendable {
  /// The requested address, after redirections.
  package let address: String
  /// The media type in lowercase, without parameters; empty if the server names none.
  package let type: String
  /// The received bytes.
  package let bytes: [UInt8]
  /// Whether all requested content arrived in time.
  ///
  /// If only the first bytes were requested, whether any bytes arrived.
  package let isComplete: Bool
  /// The address of a redirection, as the server writes it.
  let location: String?

  /// The time limit for a server's response.
  static let timeout = Duration.seconds(10)
  /// The number of bytes that suffice to identify the content; fewer suffice if they contain a line
  /// break.
  private static let headLength = 512

  package init(address: String, type: String, bytes: [UInt8], isComplete: Bool = true) {
    (self.address, self.type, self.bytes, location) = (address, type, bytes, nil)
    self.isComplete = isComplete
  }

  /// Requests an address; nil if FFmpeg is not installed.
  ///
  /// - Parameters:
  ///   - address: the address on the web.
  ///   - longest: the number of bytes after which reading ends.
  ///   - interruption: ends reading at once when it is signaled.
  ///   - deadline: the time at which reading ends.
  ///   - isWanted: whether to continue reading, given the media type and the first bytes.
  init?(
    _ address: String, atMost longest: Int = 0, interruption: WakeUp,
    until deadline: ContinuousClock.Instant = ContinuousClock.now + timeout,
    isWanted: (_ type: String, _ head: [UInt8]) -> Bool = { _, _ in false }
  ) throws(SoundFileError) {
    guard let child = try FFmpeg(copying: address) else { return nil }
    let stream = StreamInput(
      source: child.output, path: address, interruption: interruption, deadline: deadline)
    var bytes: [UInt8] = []
    while !Self.isHead(bytes), case let more = try stream.next(atMost: 1 << 16), !more.isEmpty {
      bytes += more
    }
    self.address = address
    location = bytes.isEmpty ? Self.header("location", in: child) : nil
    let type = (Self.header("content-type", in: child) ?? "").prefix { $0 != ";" && $0 != " " }
    self.type = type.lowercased()
    if isWanted(self.type, bytes) {
      while bytes.count <= longest, case let more = try stream.next(atMost: 1 << 16),
        !more.isEmpty
      {
        bytes += more
      }
      // If the server announced no length, FFmpeg reports even a normal end as a failure. FFmpeg's
      // exit status therefore counts only if nothing was received.
      let isEnd = bytes.count <= longest
      isComplete = !(isEnd && child.isCutOff) && !(bytes.isEmpty && child.hasFailed())
    } else {
      isComplete = !bytes.isEmpty
    }
    self.bytes = bytes
    // Keeps FFmpeg running until here: it ends when the last reference is released.
    withExtendedLifetime(child) {}
  }

  /// Whether these bytes are enough to identify the content.
  private static func isHead(_ bytes: [UInt8]) -> Bool {
    let newlines: Set = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    return bytes.count >= headLength
      || bytes.drop { newlines.contains($0) }.contains { newlines.contains($0) }
  }

  /// Reads a text on the web, such as a playlist, and follows redirections; nil if FFmpeg is not
  /// installed.
  ///
  /// - Parameters:
  ///   - address: the address on the web.
  ///   - longest: the number of bytes after which reading ends.
  ///   - isWanted: whether to continue reading, given the media type and the first bytes.
  /// - Throws: `.cannotRead` if a redirection is not allowed, or if there are too many.
  package static func following(
    _ address: String, atMost longest: Int,
    isWanted: (_ type: String, _ head: [UInt8]) -> Bool
  ) throws -> WebAnswer? {
    let (interruption, deadline) = (try WakeUp(), ContinuousClock.now + timeout)
    var target = address
    for _ in 0..<mostRedirections {
      let answer = try WebAnswer(
        target, atMost: longest, interruption: interruption, until: deadline, isWanted: isWanted)
      guard let next = try answer?.target(from: address) else { return answer }
      target = next
    }
    throw SoundFileError.cannotRead(path: address, reason: "it redirects too often")
  }

  /// Returns the address of the redirection; nil if there is none.
  ///
  /// - Parameter first: the address that the user gave.
  /// - Throws: `.cannotRead` if the redirection is not allowed.
  func target(from first: String) throws(SoundFileError) -> String? {
    guard let location else { return nil }
    return try Self.address(location, in: address, from: first)
  }

  /// Returns a header from FFmpeg's trace, in lines such as "header='Location: …'".
  private static func header(_ name: String, in child: FFmpeg) -> String? {
    let (start, end) = ("header='\(name): ", "'")
    return child.complaints.map(\.text).first { $0.lowercased().hasPrefix(start) }
      .map { String($0.dropFirst(start.count).dropLast(end.count)) }
  }
}

/// Checks redirections, because FFmpeg itself would follow them to any host.
extension WebAnswer {
  /// The maximum number of redirections to follow.
  static let mostRedirections = 8

  /// Resolves the address in a redirection or playlist entry relative to `base`; nil if it is not
  /// on the web.
  ///
  /// `base` is the address of the server's answer.
  package static func address(_ text: String, in base: String) -> String? {
    URL(string: text, relativeTo: URL(string: base))?.absoluteURL.webAddress
  }

  /// Resolves the address in a redirection relative to `base`; nil if it is not on the web.
  ///
  /// - Parameters:
  ///   - text: the redirection.
  ///   - base: the address of the server's answer.
  ///   - first: the address that the user gave.
  /// - Throws: `.cannotRead` if the address is private, or cannot be resolved, while `first` is
  ///   public. A public server must not redirect into a private network.
  static func address(
    _ text: String, in base: String, from first: String
  ) throws(SoundFileError) -> String? {
    guard let target = address(text, in: base) else { return nil }
    guard mayRedirect(to: target, from: first) else {
      throw .cannotRead(
        path: first,
        reason: "it leads to \(target.printable), which is in a private network or unknown")
    }
    return target
  }

  /// Whether a redirection to `address` is allowed, if the user gave the address `first`.
  static func mayRedirect(to address: String, from first: String) -> Bool {
    isPrivate(first) == true || isPrivate(address) == false
  }

  /// Whether the host of an address is this machine or in a private network; nil if the host is
  /// missing or unknown.
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
      // An IPv4 address follows the family and the port.
      return isPrivate((4..<8).map { address.load(fromByteOffset: $0, as: UInt8.self) })
    case AF_INET6:
      // An IPv6 address follows the family, the port, and the flow information.
      let bytes = (8..<24).map { address.load(fromByteOffset: $0, as: UInt8.self) }
      let isOfIPv4 =
        bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10..<12].allSatisfy { $0 == 0xFF }
        || bytes.starts(with: [0, 0x64, 0xFF, 0x9B])
      if isOfIPv4 { return isPrivate(Array(bytes[12...])) }
      // A 6to4 address contains an IPv4 address, which may be private.
      if bytes.starts(with: [0x20, 0x02]) { return isPrivate(Array(bytes[2..<6])) }
      // The conditions, in order: unspecified and loopback addresses; unique local; link-local and
      // site-local; multicast.
      return bytes.prefix(15).allSatisfy { $0 == 0 } || bytes[0] & 0xFE == 0xFC
        || (bytes[0] == 0xFE && bytes[1] & 0x80 != 0) || bytes[0] == 0xFF
    default: return true
    }
  }

  /// - Parameter bytes: the bytes of an IPv4 address.
  private static func isPrivate(_ bytes: [UInt8]) -> Bool {
    switch (bytes[0], bytes[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127),
      (198, 18...19), (224...255, _):
      true
    default: false
    }
  }
}

/// Opens a file on the web, and follows its redirections.
func openDecoder(
  address: String, interruption: WakeUp? = nil
) throws(SoundFileError) -> any SoundDecoder {
  let interruption = try interruption.orNew(for: address)
  var target = address
  for _ in 0..<WebAnswer.mostRedirections {
    do throws(SoundFileError) {
      return try FFmpegDecoder.open(
        .address(target), FileKind("a file on the web", .ffmpeg), address, interruption)
    } catch {
      guard case .cannotRead = error,
        let next = try WebAnswer(target, interruption: interruption)?.target(from: address)
      else { throw error }
      target = next
    }
  }
  throw .cannotRead(path: address, reason: "it redirects too often")
}

extension URL {
  /// The address, if the URL is on the web (http, https); otherwise nil.
  var webAddress: String? {
    // FFmpeg accepts schemes only in lowercase.
    guard let scheme = scheme?.lowercased(), ["http", "https"].contains(scheme) else { return nil }
    return scheme + absoluteString.dropFirst(scheme.count)
  }
}
