import AudioThreads
import FilePaths
import Glibc
import Synchronization

extension ByteLink {
  /// Connects over TCP, to the first of the host's addresses that answers.
  ///
  /// - Throws: `.interrupted` once the interruption is signaled.
  static func connected(
    host: String, port: Int, within budget: TimeBudget, until interruption: WakeUp? = nil
  ) throws(LinkError) -> ByteLink {
    let found = try addresses(of: host, port: port, within: budget, until: interruption)
    guard !found.isEmpty else { throw .hostUnknown(host: host, reason: "it has no address") }
    return try connected(toFirstOf: found, within: budget, until: interruption)
  }

  /// Connects to the first address that answers; an address that does not answer leaves time for
  /// the others.
  static func connected(
    toFirstOf addresses: [SocketAddress], within budget: TimeBudget,
    until interruption: WakeUp? = nil
  ) throws(LinkError) -> ByteLink {
    var failure = LinkError.timedOut(budget.whole)
    for (index, address) in addresses.enumerated() {
      let part = budget.part(of: addresses.count - index)
      do throws(LinkError) {
        return try connected(to: address, within: part, until: interruption)
      } catch {
        if error == .interrupted { throw error }
        failure = error
      }
    }
    throw failure
  }

  /// Connects to a Unix socket.
  static func connected(
    path: String, within budget: TimeBudget, until interruption: WakeUp? = nil
  ) throws(LinkError) -> ByteLink {
    guard let address = SocketAddress(path: path) else { throw .pathTooLong }
    return try connected(to: address, within: budget, until: interruption)
  }

  private static func connected(
    to address: SocketAddress, within budget: TimeBudget, until interruption: WakeUp?
  ) throws(LinkError) -> ByteLink {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, 0)
    guard descriptor >= 0 else { throw .system(errno) }
    var yes: Int32 = 1
    // Send each chunk at once; a Unix socket refuses the option and does not need it.
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    let link = ByteLink(owning: descriptor, interruption: interruption)
    let code = address.withPointer { connect(descriptor, $0, $1) == 0 ? 0 : errno }
    if code == 0 { return link }
    guard code == EINPROGRESS else { throw .system(code) }
    while try !link.wait(toWrite: true, within: budget).isAny {}
    var failure: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &length)
    guard failure == 0 else { throw .system(failure) }
    return link
  }
}

/// The address of a socket to connect to.
struct SocketAddress: Sendable {
  let family: Int32
  let bytes: [UInt8]

  /// Returns nil for a path that is too long for a socket.
  init?(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = FilePath(path).bytes
    let isTaken = withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard name.count < place.count else { return false }
      place.copyBytes(from: name)
      return true
    }
    guard isTaken else { return nil }
    family = AF_UNIX
    bytes = withUnsafeBytes(of: address, Array.init)
  }

  fileprivate init(_ found: addrinfo) {
    family = found.ai_family
    bytes = Array(UnsafeRawBufferPointer(start: found.ai_addr, count: Int(found.ai_addrlen)))
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(bytes.count))
      }
    }
  }
}

/// Resolves a host's addresses on its own thread, because `getaddrinfo` has no timeout.
func addresses(
  of host: String, port: Int, within budget: TimeBudget, until interruption: WakeUp? = nil
) throws(LinkError) -> [SocketAddress] {
  let search = AddressSearch()
  let isDone: WakeUp
  do {
    isDone = try WakeUp()
    _ = try DedicatedThread.start(name: "syrinx-resolve") {
      search.run(host: host, port: port)
      isDone.signal()
    }
  } catch {
    throw .system(EAGAIN)
  }
  var requests = [pollfd(fd: isDone.fileDescriptor, events: Int16(POLLIN), revents: 0)]
  guard try poll(&requests, within: budget, until: interruption) else {
    throw .timedOut(budget.whole)
  }
  let (code, found) = search.outcome.withLock { $0 }
  guard code == 0 else {
    throw .hostUnknown(host: host, reason: String(cString: gai_strerror(code)))
  }
  return found
}

private final class AddressSearch: Sendable {
  // Held to store the outcome and to read it.
  let outcome = Mutex<(code: Int32, found: [SocketAddress])>((0, []))

  func run(host: String, port: Int) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    let found = sequence(first: list, next: { $0?.pointee.ai_next }).prefix { $0 != nil }
      .compactMap { $0.map { SocketAddress($0.pointee) } }
    outcome.withLock { $0 = (code, found) }
  }
}
