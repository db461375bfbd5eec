import AudioThreads
import FilePaths
import Glibc
import Synchronization

/// A nonblocking byte stream in both directions; only `wait` blocks, up to a deadline.
final class ByteLink {
  private var input: Descriptor?
  private var output: Descriptor?
  /// Once signaled, ends every wait with `.interrupted`; nil for an idle link.
  var interruption: WakeUp?

  /// Takes ownership of a connected socket.
  convenience init(owning socket: Int32, interruption: WakeUp? = nil) {
    let socket = Descriptor(owning: socket)
    self.init(input: socket, output: socket)
    self.interruption = interruption
  }

  /// Creates a link from a descriptor to read from and a socket to write to.
  init(input: Descriptor, output: Descriptor) {
    (self.input, self.output) = (input, output)
    for number in [input.number, output.number] {
      _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }
  }

  /// Ends the connection; further calls throw `EBADF`.
  func close() {
    (input, output) = (nil, nil)
  }

  /// Waits until the link can be read or, with `toWrite`, written.
  ///
  /// An ended link counts as readable. A budget of zero returns at once.
  ///
  /// - Returns: the operations that currently do not block.
  func wait(
    toWrite: Bool, within budget: TimeBudget
  ) throws(LinkError) -> (canRead: Bool, canWrite: Bool) {
    guard let input, let output else { throw .system(EBADF) }
    var requests = [
      pollfd(fd: input.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: toWrite ? output.number : -1, events: Int16(POLLOUT), revents: 0),
    ]
    let isReady = try poll(&requests, within: budget, until: interruption)
    guard isReady || budget.whole == .zero else { throw .timedOut(budget.whole) }
    // The end of the connection or an error also makes a descriptor ready; the next read or write
    // reports it.
    return (requests[0].revents != 0, requests[1].revents != 0)
  }

  /// Returns the available bytes: empty at the end of the stream; nil if no bytes are available
  /// although `poll` reported some.
  func read() throws(LinkError) -> [UInt8]? {
    guard let input else { throw .system(EBADF) }
    // Set in the closure, which cannot throw a typed error.
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      let received = Glibc.read(input.number, buffer.baseAddress, buffer.count)
      if received < 0 { failure = errno }
      count = max(0, received)
    }
    if failure == EAGAIN || failure == EINTR { return nil }
    guard failure == 0 else { throw .system(failure) }
    return bytes
  }

  /// Writes as many of the bytes as fit, and returns their number.
  func write(_ bytes: ArraySlice<UInt8>) throws(LinkError) -> Int {
    guard let output else { throw .system(EBADF) }
    let sent = bytes.withUnsafeBytes { bytes in
      send(output.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
    if sent < 0, errno == EAGAIN || errno == EINTR { return 0 }
    guard sent >= 0 else { throw .system(errno) }
    return sent
  }
}

/// Blocks until one of the descriptors is ready; returns false on timeout.
///
/// - Throws: `.interrupted` once the interruption is signaled (the signal is not reset); `.system`.
func poll(
  _ requests: inout [pollfd], within budget: TimeBudget, until interruption: WakeUp?
) throws(LinkError) -> Bool {
  var all =
    requests + [pollfd(fd: interruption?.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0)]
  while true {
    let count = Glibc.poll(&all, nfds_t(all.count), pollTimeout(budget.left))
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw .system(errno) }
    if all.removeLast().revents != 0 { throw .interrupted }
    requests = all
    return count > 0
  }
}

extension ByteLink {
  /// Connects over TCP to the first responding address of the host.
  ///
  /// - Throws: `.interrupted` once the interruption is signaled.
  static func connected(
    host: String, port: Int, within budget: TimeBudget, until interruption: WakeUp? = nil
  ) throws(LinkError) -> ByteLink {
    let found = try addresses(of: host, port: port, within: budget, until: interruption)
    guard !found.isEmpty else { throw .hostUnknown(host: host, reason: "it has no address") }
    return try connected(toFirstOf: found, within: budget, until: interruption)
  }

  /// Connects to the first address that responds.
  ///
  /// Each attempt gets an equal share of the remaining time.
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
    // Sends each chunk at once; a Unix socket rejects this option and does not need it.
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    let link = ByteLink(owning: descriptor, interruption: interruption)
    let code = address.withPointer { connect(descriptor, $0, $1) == 0 ? 0 : errno }
    if code == 0 { return link }
    guard code == EINPROGRESS else { throw .system(code) }
    while try !link.wait(toWrite: true, within: budget).canWrite {}
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
  // The lock is held to store or read the result.
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

/// The remaining time of an operation.
struct TimeBudget {
  let whole: Duration
  private let deadline: ContinuousClock.Instant

  init(_ whole: Duration) {
    self.init(whole, left: whole)
  }

  private init(_ whole: Duration, left: Duration) {
    self.whole = whole
    deadline = ContinuousClock.now + left
  }

  /// Returns the remaining time divided by `count`.
  func part(of count: Int) -> TimeBudget { TimeBudget(whole, left: left / count) }

  /// Throws if the deadline has passed, even if the peer is still sending.
  func check() throws(LinkError) {
    guard left > .zero else { throw .timedOut(whole) }
  }

  /// The remaining time; zero or negative after the deadline.
  var left: Duration { ContinuousClock.now.duration(to: deadline) }
}
