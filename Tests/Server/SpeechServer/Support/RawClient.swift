import AudioThreads
import Glibc
import Synchronization
import Wyoming

@testable import WyomingEngine

/// Runs a blocking call on a separate thread.
func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await DedicatedThread.runToEnd(name: "test-client", body)
}

func connect(_ address: WyomingAddress) throws -> ByteLink {
  guard case .tcp(let host, let port) = address else { throw LinkError.noCommand }
  return try .connected(host: host, port: port, within: TimeBudget(.seconds(60)))
}

/// Connects a client that begins to send audio, and waits until it has a place.
func beginAudio(at address: WyomingAddress) throws -> ByteLink {
  let link = try connect(address)
  try send(utterance(tenths: 0).dropLast(), over: link)
  guard try exchange(WyomingEvent("ping"), over: link, until: "pong", "error").type == "pong" else {
    throw LinkError.ended
  }
  return link
}

/// Sends a whole request and ends the client's side of the connection, like `nc -N`.
func request(_ bytes: [UInt8], at address: WyomingAddress) throws -> ByteLink {
  guard case .tcp(_, let port) = address else { throw LinkError.noCommand }
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var place = sockaddr_in()
  place.sin_family = sa_family_t(AF_INET)
  place.sin_port = in_port_t(port).bigEndian
  place.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  let length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = withUnsafePointer(to: place) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
  }
  guard code == 0, send(descriptor, bytes, bytes.count, 0) == bytes.count,
    shutdown(descriptor, Int32(SHUT_WR)) == 0
  else { throw LinkError.system(errno) }
  return ByteLink(owning: descriptor)
}

/// Returns all events until the other end closes.
func everything(from link: ByteLink) throws -> [WyomingEvent] {
  var reader = FrameReader()
  var events: [WyomingEvent] = []
  while true {
    _ = try link.wait(toWrite: false, within: TimeBudget(.seconds(60)))
    guard let bytes = try link.read() else { continue }
    guard !bytes.isEmpty else { break }
    reader.add(bytes)
    while let event = try reader.next() { events.append(event) }
  }
  try reader.finish()
  return events
}

/// Sends all bytes of events; waits while there is no room for them.
func send(_ events: [WyomingEvent], over link: ByteLink) throws {
  var rest = events.flatMap(\.bytes)[...]
  while !rest.isEmpty {
    _ = try link.wait(toWrite: true, within: TimeBudget(.seconds(60)))
    rest = rest.dropFirst(try link.write(rest))
  }
}

/// Sends an event and reads until an event of one of these types arrives.
@discardableResult
func exchange(
  _ event: WyomingEvent?, over link: ByteLink?, until types: String...
) throws -> WyomingEvent {
  try answer(to: event, over: link, until: types)
}

private func answer(
  to event: WyomingEvent?, over link: ByteLink?, until types: [String]
) throws -> WyomingEvent {
  guard let link else { throw LinkError.ended }
  // The error of a failed write is ignored, because a server that rejects the client may already
  // have closed the connection.
  if let event { _ = try? link.write(event.bytes[...]) }
  var reader = FrameReader()
  while true {
    _ = try link.wait(toWrite: false, within: TimeBudget(.seconds(60)))
    guard let bytes = try link.read() else { continue }
    guard !bytes.isEmpty else { throw LinkError.ended }
    reader.add(bytes)
    while let event = try reader.next() {
      if types.contains(event.type) { return event }
    }
  }
}

/// Creates a socket file on which no process listens.
func leaveSocket(at path: String) throws {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let length = socklen_t(MemoryLayout<sockaddr_un>.size)
  let code = withUnsafePointer(to: address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
  }
  guard code == 0 else { throw LinkError.system(errno) }
}

/// Keeps a connection open for use by another thread.
///
/// `@unchecked`, because a connection is not `Sendable`; safe, because only one thread at a time
/// uses it.
final class LinkBox: @unchecked Sendable {
  private var link: ByteLink?

  func put(_ link: ByteLink) { self.link = link }

  /// Connects a client that begins to send audio, and waits until it has a place.
  func begin(at address: WyomingAddress) async throws {
    try await onThread { self.put(try beginAudio(at: address)) }
  }

  /// Connects a client that begins to send audio, and does not wait.
  func ask(at address: WyomingAddress) throws {
    put(try connect(address))
    try send(utterance(tenths: 0).dropLast(), over: take())
  }

  func close() { link?.close() }

  func take() throws -> ByteLink {
    guard let link else { throw LinkError.noCommand }
    return link
  }

  @discardableResult
  func exchange(_ event: WyomingEvent?, until types: String...) throws -> WyomingEvent {
    try answer(to: event, over: link, until: types)
  }

  /// Reads until the other end has closed.
  func waitForEnd() throws {
    guard let link else { throw LinkError.noCommand }
    while true {
      _ = try link.wait(toWrite: false, within: TimeBudget(.seconds(60)))
      guard let bytes = try? link.read(), !bytes.isEmpty else { return }
    }
  }
}
