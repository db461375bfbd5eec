import AudioThreads
import FilePaths
import Glibc
import NIOCore
import NIOPosix
import Wyoming

/// A protocol that the clients of a listener speak.
protocol ListenerProtocol: Sendable {
  /// Prepares the channel of a new client, on the channel's event loop; nothing has been read yet.
  func prepare(_ channel: any Channel) throws

  /// Serves the client with this number, and closes its channel.
  func serve(_ channel: any Channel, client: Int) async
}

/// An address at which clients connect.
///
/// Each client is served separately.
struct Listener {
  private let address: SocketAddress

  /// Listens at a host and port, or at a Unix socket, which replaces a stale one.
  ///
  /// - Throws: `SpeechServerError`, for example if other machines can reach the address and that is
  ///   not allowed.
  init(_ address: WyomingAddress, allowsRemote: Bool) async throws {
    switch address {
    case .tcp(let host, let port):
      self.address = try await .resolving(host, port, allowsRemote: allowsRemote)
    case .unix(let path):
      try Self.makeRoom(at: path)
      self.address = try Self.socketAddress(at: path)
    case .stdio:
      throw SpeechServerError.cannotListen(address: "\(address)", reason: "it is not a socket")
    }
  }

  private static func socketAddress(at path: String) throws(SpeechServerError) -> SocketAddress {
    let asked = WyomingAddress.unix(path: path).description
    // SwiftNIO takes the path as a string, which cannot hold a path that is not UTF-8.
    guard FilePath(path).bytes.elementsEqual(path.utf8) else {
      throw .cannotListen(
        address: asked, reason: "the path of a server's socket must be UTF-8")
    }
    do {
      return try SocketAddress(unixDomainSocketPath: path)
    } catch {
      throw .cannotListen(
        address: asked, reason: "the path of a socket may have at most 107 bytes")
    }
  }

  /// Serves clients until it is canceled.
  ///
  /// - Parameters:
  ///   - server: the protocol.
  ///   - clients: numbers the clients, and limits the number of connections.
  ///   - group: the thread for the sockets.
  ///   - announcement: the name for Avahi, and the log of its events.
  ///   - onListening: called once clients can connect.
  func run(
    _ server: some ListenerProtocol, numberedBy clients: ClientTable,
    in group: MultiThreadedEventLoopGroup,
    announcing announcement: Announcement.Request? = nil,
    _ onListening: @Sendable (WyomingAddress) async -> Void
  ) async throws {
    let listener = try await bind(group, server)
    if let address = WyomingAddress(listener.channel.localAddress) { await onListening(address) }
    try await listener.executeThenClose { connections in
      try await withThrowingDiscardingTaskGroup { tasks in
        if let announcement {
          tasks.addTask { await announce(announcement, at: listener.channel) }
        }
        for try await connection in connections {
          guard let client = clients.connect(from: connection.remoteAddress?.ipAddress) else {
            connection.close(promise: nil)
            continue
          }
          tasks.addTask {
            await server.serve(connection, client: client)
            clients.disconnect(client)
          }
        }
      }
    }
  }

  private func announce(_ announcement: Announcement.Request, at channel: any Channel) async {
    guard !address.isLoopback, let port = channel.localAddress?.port else {
      let reason = "only this machine can reach the server"
      return await announcement.report(.notAnnounced(reason: reason))
    }
    await Announcement.run(name: announcement.name, port: port, report: announcement.report)
  }

  private func bind(
    _ group: MultiThreadedEventLoopGroup, _ server: some ListenerProtocol
  ) async throws -> NIOAsyncChannel<any Channel, Never> {
    try await mappingErrors(at: address) {
      try await ServerBootstrap(group: group)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        // Without this, `accept` would fail again and again without a pause if no descriptor is
        // free.
        .serverChannelInitializer(pausingAfterFailures)
        // Reading starts when the client is served. If the server ends earlier, the event loop
        // closes the connection.
        .childChannelOption(.autoRead, value: false)
        .bind(to: address) { channel in
          channel.eventLoop.makeCompletedFuture {
            try server.prepare(channel)
            return channel
          }
        }
    }
  }
}

/// The file of a Unix socket, which SwiftNIO removes when it closes the socket.
extension Listener {
  /// Removes a stale socket, on which no process listens.
  ///
  /// - Throws: `SpeechServerError.addressInUse` if a process listens or the file is not a socket.
  private static func makeRoom(at path: String) throws(SpeechServerError) {
    var status = stat()
    guard FilePath(path).withCString({ lstat($0, &status) }) == 0 else { return }
    let address = WyomingAddress.unix(path: path).description
    guard status.st_mode & S_IFMT == S_IFSOCK, !hasListener(path) else {
      throw .addressInUse(address)
    }
    guard FilePath(path).withCString({ unlink($0) }) == 0 else {
      throw .cannotListen(
        address: address,
        reason: "the old socket cannot be removed: \(String(cString: strerror(errno)))")
    }
  }

  private static func hasListener(_ path: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { space in
      space.copyBytes(from: FilePath(path).bytes.prefix(space.count - 1))
    }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    return result == 0 || errno != ECONNREFUSED
  }
}

/// Runs `bind` and converts errors of the system to `SpeechServerError`.
private func mappingErrors<Result>(
  at address: SocketAddress, _ bind: () async throws -> Result
) async throws -> Result {
  let name = "\(WyomingAddress(address) ?? .stdio(command: nil))"
  do {
    return try await bind()
  } catch let error as IOError where error.errnoCode == EADDRINUSE {
    throw SpeechServerError.addressInUse(name)
  } catch let error as IOError {
    throw SpeechServerError.cannotListen(
      address: name,
      reason: "\(String(cString: strerror(error.errnoCode))) (errno \(error.errnoCode))")
  }
}

extension SocketAddress {
  /// Resolves a host and port to an address, on its own thread.
  ///
  /// - Throws: `SpeechServerError`, for example if other machines can reach the address and that
  ///   is not allowed.
  static func resolving(
    _ host: String, _ port: Int, allowsRemote: Bool
  ) async throws -> SocketAddress {
    let asked = WyomingAddress.tcp(host: host, port: port).description
    let address: SocketAddress
    do {
      // `getaddrinfo` may block for a long time.
      address = try await DedicatedThread.run(name: "syrinx-resolve") {
        try SocketAddress.makeAddressResolvingHost(host, port: port)
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      throw SpeechServerError.cannotListen(
        address: asked, reason: "the host \(host) was not found")
    }
    guard allowsRemote || address.isLoopback else {
      throw SpeechServerError.remoteAddress(asked)
    }
    return address
  }

  /// Whether only this machine can reach the address.
  var isLoopback: Bool {
    // Comparing prefixes suffices, because the system writes a numeric address in one canonical
    // form.
    guard let number = ipAddress else { return true }
    return number.hasPrefix("127.") || number == "::1" || number.hasPrefix("::ffff:127.")
  }
}

extension WyomingAddress {
  /// Creates the address that clients connect to.
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

/// Makes a listening socket pause when it cannot accept a client, for example without free
/// descriptors.
///
/// The error is not passed on, because it would end the server.
@Sendable private func pausingAfterFailures(_ channel: any Channel) -> EventLoopFuture<Void> {
  channel.eventLoop.makeCompletedFuture {
    try channel.pipeline.syncOperations.addHandler(
      AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
  }
}

/// Wraps a client's channel on its event loop, and begins to read from it.
///
/// Closes the channel and returns nil if the client has disconnected.
func beginReading<Connection: Sendable>(
  _ channel: any Channel, as wrap: @escaping @Sendable (any Channel) throws -> Connection
) async -> Connection? {
  do {
    return try await channel.eventLoop.submit {
      let connection = try wrap(channel)
      try channel.syncOptions?.setOption(.autoRead, value: true)
      return connection
    }.get()
  } catch {
    channel.close(promise: nil)
    return nil
  }
}

/// Runs `body` with the thread for a server's sockets, and ends the thread.
func withEventLoop<Result: Sendable>(
  _ body: (MultiThreadedEventLoopGroup) async throws -> Result
) async throws -> Result {
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  do {
    let result = try await body(group)
    try await group.shutdownGracefully()
    return result
  } catch {
    try await group.shutdownGracefully()
    throw error
  }
}

extension Channel {
  /// Returns the result of a future of this channel, and closes the channel if the call is
  /// canceled.
  func result<Value: Sendable>(of future: EventLoopFuture<Value>) async throws -> Value {
    try await withTaskCancellationHandler {
      // Fails when the channel is closed.
      try await future.get()
    } onCancel: {
      close(promise: nil)
    }
  }

  /// Returns when the channel is closed, when `begin` finishes its continuation, or when the call
  /// is canceled.
  func untilClosed(_ begin: (AsyncStream<Never>.Continuation) -> Void = { _ in }) async {
    let (ends, end) = AsyncStream.makeStream(of: Never.self)
    // A closed channel accepts no events, so `begin` alone would never end the wait.
    closeFuture.whenComplete { _ in end.finish() }
    begin(end)
    for await _ in ends {}
  }
}
