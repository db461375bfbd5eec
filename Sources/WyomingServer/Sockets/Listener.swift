import AudioThreads
import FilePaths
import NIOCore
import NIOPosix
import Synchronization
import Wyoming

/// An address at which clients connect, each to be served on its own.
struct Listener {
  /// How many clients too many are told so at once, for seconds each; further ones are cut off.
  private static let mostRefusals = 64

  private let address: SocketAddress

  /// A host and port; the name is looked up on a thread of its own.
  ///
  /// - Throws: `WyomingServerError`, for an address that others can reach as well where that is not
  ///   allowed.
  init(host: String, port: Int, allowsRemote: Bool) async throws {
    let asked = WyomingAddress.tcp(host: host, port: port).description
    do {
      address = try await resolve(host: host, port: port)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw WyomingServerError.cannotListen(
        address: asked, reason: "the host \(host) was not found")
    }
    guard allowsRemote || address.isLoopback else {
      throw WyomingServerError.remoteAddress(asked)
    }
  }

  /// A Unix socket, which does not exist yet.
  init(path: String) throws {
    // SwiftNIO takes a name as a text.
    guard FilePath(path).bytes.elementsEqual(path.utf8) else {
      throw WyomingServerError.cannotListen(
        address: WyomingAddress.unix(path: path).description,
        reason: "the path of a server's socket has to be UTF-8")
    }
    do {
      address = try SocketAddress(unixDomainSocketPath: path)
    } catch {
      throw WyomingServerError.cannotListen(
        address: WyomingAddress.unix(path: path).description,
        reason: "the path of a socket has at most 107 bytes")
    }
  }

  /// Serves clients until it is cancelled.
  func run(
    _ options: WyomingServerOptions, _ onListening: @Sendable (WyomingAddress) async -> Void
  ) async throws {
    try await withEventLoop { group in
      let listener = try await bind(group)
      if let address = WyomingAddress(listener.channel.localAddress) { await onListening(address) }
      let places = Places(count: max(1, options.maximumConnections))
      let refusals = Places(count: Self.mostRefusals)
      try await listener.executeThenClose { connections in
        try await withThrowingDiscardingTaskGroup { tasks in
          for try await connection in connections {
            let hasPlace = places.take()
            guard hasPlace || refusals.take() else {
              connection.close(promise: nil)
              continue
            }
            tasks.addTask {
              await ByteChannel.serve(connection, options, refusing: hasPlace ? nil : .busy)
              (hasPlace ? places : refusals).giveBack()
            }
          }
        }
      }
    }
  }

  private func bind(
    _ group: MultiThreadedEventLoopGroup
  ) async throws -> NIOAsyncChannel<any Channel, Never> {
    do {
      return try await ServerBootstrap(group: group)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        // Without a descriptor for another client accept fails at once, again and again.
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
          }
        }
        // A client may end its side after `audio-stop` and wait for the transcript.
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        // Nothing is read until somebody serves the client, but for what comes before its end:
        // where the server ends before, the connection is closed with the event loop.
        .childChannelOption(.autoRead, value: false)
        .bind(to: address) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ClientHandler(isSocket: true))
            return channel
          }
        }
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw WyomingServerError.addressInUse("\(WyomingAddress(address) ?? .stdio(command: nil))")
    } catch let error as IOError {
      throw WyomingServerError.cannotListen(
        address: "\(WyomingAddress(address) ?? .stdio(command: nil))",
        reason: "\(String(cString: strerror(error.errnoCode))) (errno \(error.errnoCode))")
    }
  }
}

/// How many more clients may be taken in.
private final class Places: Sendable {
  // Held to take one or to give one back.
  private let free: Mutex<Int>

  init(count: Int) {
    free = Mutex(count)
  }

  func take() -> Bool {
    free.withLock { free in
      guard free > 0 else { return false }
      free -= 1
      return true
    }
  }

  func giveBack() {
    free.withLock { $0 += 1 }
  }
}

/// A host's first address; `getaddrinfo` takes as long as it likes.
private func resolve(host: String, port: Int) async throws -> SocketAddress {
  let result: Result<SocketAddress, any Error> = await DedicatedThread.run(
    name: "syrinx-resolve", abandoned: .failure(CancellationError()), failed: { .failure($0) },
    { Result { try SocketAddress.makeAddressResolvingHost(host, port: port) } })
  return try result.get()
}
