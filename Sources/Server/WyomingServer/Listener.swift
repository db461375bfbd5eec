import AudioCore
import AudioThreads
import ClientDependencies
import CoreMetrics
import FilePaths
import Glibc
import NIOCore
import NIOPosix
import SpeechEngine
import Wyoming

/// An address at which clients connect.
///
/// Each client is served separately.
struct Listener {
  /// The time that a new client waits for a free place.
  ///
  /// The system may report a new client before it reports the end of an earlier connection.
  private static let slotTimeout = Duration.milliseconds(500)

  /// The time without clients after which freed memory is returned to the system.
  private static let memoryDelay = Duration.seconds(20)

  private let address: SocketAddress

  /// Listens at a host and port.
  ///
  /// - Throws: `WyomingServerError`.
  init(host: String, port: Int, allowsRemote: Bool) async throws {
    address = try await .resolving(host, port, allowsRemote: allowsRemote)
  }

  /// Listens at a Unix socket, and replaces a stale one.
  ///
  /// - Throws: `WyomingServerError`.
  init(path: String) throws {
    try Self.makeRoom(at: path)
    let asked = WyomingAddress.unix(path: path).description
    // SwiftNIO takes the path as a string, which cannot hold a path that is not UTF-8.
    guard FilePath(path).bytes.elementsEqual(path.utf8) else {
      throw WyomingServerError.cannotListen(
        address: asked, reason: "the path of a server's socket must be UTF-8")
    }
    do {
      address = try SocketAddress(unixDomainSocketPath: path)
    } catch {
      throw WyomingServerError.cannotListen(
        address: asked, reason: "the path of a socket may have at most 107 bytes")
    }
  }

  /// Serves clients until it is canceled.
  func run(
    _ options: WyomingServerOptions, _ onListening: @Sendable (WyomingAddress) async -> Void
  ) async throws {
    @Dependency(\.continuousClock) var clock
    try await withEventLoop { [clock] group in
      let listener = try await bind(group)
      if let address = WyomingAddress(listener.channel.localAddress) { await onListening(address) }
      let clients = ClientTable(
        mostServed: max(1, options.maximumConnections),
        mostPerAddress: options.maximumConnectionsPerAddress)
      try await listener.executeThenClose { connections in
        try await withThrowingDiscardingTaskGroup { tasks in
          if let name = options.announcedName {
            tasks.addTask { await announce(as: name, at: listener.channel, options) }
          }
          tasks.addTask { await returnMemory(whenEmpty: clients, on: clock) }
          var client = 0
          for try await connection in connections {
            client += 1
            let stage = clients.add(client, from: connection.remoteAddress?.ipAddress)
            guard let stage, stage != .leaving else {
              options.meters.refusals.increment()
              refuse(connection, client, isAdded: stage != nil, clients)
              continue
            }
            tasks.addTask { [client] in
              defer { clients.remove(client) }
              var isServed = stage == .served
              if !isServed {
                isServed = await wait(connection, client, clients, options, on: clock)
              }
              let watch = PeerWatch(limit: options.idleTimeout, clock: clock)
              if isServed { clients.begin(client, watch) }
              await ByteChannel.serve(
                connection, client: client, options, watch, refusing: isServed ? nil : .busy)
            }
          }
          clients.emptied.continuation.finish()
        }
      }
    }
  }

  /// Waits until a client gets a place; returns false if it is refused.
  private func wait(
    _ connection: any Channel, _ client: Int, _ clients: ClientTable,
    _ options: WyomingServerOptions, on clock: any Clock<Duration>
  ) async -> Bool {
    let stopwatch = Stopwatch(clock)
    defer { options.meters.wait.recordNanoseconds(stopwatch.elapsed().inNanoseconds) }
    connection.triggerUserOutboundEvent(
      ClientHandler.Event.listen { clients.reportRequest(from: client) }, promise: nil)
    if await clients.wait(client, within: Self.slotTimeout, on: clock) { return true }
    options.meters.refusals.increment()
    return false
  }

  /// Rejects a surplus client with little effort.
  ///
  /// No task is started and nothing is reported; if many such clients are leaving, the client does
  /// not even get an event.
  private func refuse(
    _ connection: any Channel, _ client: Int, isAdded: Bool, _ clients: ClientTable
  ) {
    guard isAdded else { return connection.close(promise: nil) }
    connection.closeFuture.whenComplete { _ in clients.remove(client) }
    ByteChannel.refuse(connection)
  }

  /// Returns memory to the system when no client has been connected for a while.
  ///
  /// Otherwise the engine and the C library keep about 20 MB for each simultaneous client.
  private func returnMemory(
    whenEmpty clients: ClientTable, on clock: any Clock<Duration>
  ) async {
    @Dependency(\.speechEngine) var engine
    for await _ in clients.emptied.stream {
      // The delay also gives the last client's recognizer time to end.
      guard (try? await clock.sleep(for: Self.memoryDelay)) != nil else { return }
      guard clients.isEmpty else { continue }
      // If no thread can be started, the memory is returned after the next client has left.
      try? await DedicatedThread.run(name: "syrinx-memory") { [engine] in
        engine.returnMemory()
        returnFreedMemory()
      }
    }
  }

  private func announce(
    as name: String, at channel: any Channel, _ options: WyomingServerOptions
  ) async {
    guard !address.isLoopback, let port = channel.localAddress?.port else {
      let reason = "only this machine can reach the server"
      return await options.report(.notAnnounced(reason: reason))
    }
    await Announcement.run(name: name, port: port, report: options.report)
  }

  private func bind(
    _ group: MultiThreadedEventLoopGroup
  ) async throws -> NIOAsyncChannel<any Channel, Never> {
    try await mappingErrors(at: address) {
      try await ServerBootstrap(group: group)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        // Without this, `accept` would fail again and again without a pause if no descriptor is
        // free.
        .serverChannelInitializer(pausingAfterFailures)
        // A client may close its side after `audio-stop` and wait for the transcript.
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        // Reading starts when the client is served. If the server ends earlier, the event loop
        // closes the connection.
        .childChannelOption(.autoRead, value: false)
        .bind(to: address) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ClientHandler(isSocket: true))
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
  /// - Throws: `WyomingServerError.addressInUse` if a process listens or the file is not a socket.
  private static func makeRoom(at path: String) throws(WyomingServerError) {
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

/// Runs `bind` and converts errors of the system to `WyomingServerError`.
func mappingErrors<Result>(
  at address: SocketAddress, _ bind: () async throws -> Result
) async throws -> Result {
  let name = "\(WyomingAddress(address) ?? .stdio(command: nil))"
  do {
    return try await bind()
  } catch let error as IOError where error.errnoCode == EADDRINUSE {
    throw WyomingServerError.addressInUse(name)
  } catch let error as IOError {
    throw WyomingServerError.cannotListen(
      address: name,
      reason: "\(String(cString: strerror(error.errnoCode))) (errno \(error.errnoCode))")
  }
}

extension SocketAddress {
  /// Resolves a host and port to an address, on its own thread.
  ///
  /// - Throws: `WyomingServerError`, for example if other machines can reach the address and that
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
      throw WyomingServerError.cannotListen(
        address: asked, reason: "the host \(host) was not found")
    }
    guard allowsRemote || address.isLoopback else {
      throw WyomingServerError.remoteAddress(asked)
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
@Sendable func pausingAfterFailures(_ channel: any Channel) -> EventLoopFuture<Void> {
  channel.eventLoop.makeCompletedFuture {
    try channel.pipeline.syncOperations.addHandler(
      AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
  }
}
