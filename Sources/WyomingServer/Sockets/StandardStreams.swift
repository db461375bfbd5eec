import Glibc
import NIOCore
import NIOPosix
import Wyoming

/// Serves the one client at standard input and output, until its end.
func serveStandardStreams(_ options: WyomingServerOptions) async throws {
  try await withEventLoop { group in
    // The channel closes what it is given, and the process keeps its own.
    let (input, output) = (dup(STDIN_FILENO), dup(STDOUT_FILENO))
    let channel: ByteChannel
    do {
      channel = try await NIOPipeBootstrap(group: group)
        .channelOption(.allowRemoteHalfClosure, value: true)
        .takingOwnershipOfDescriptors(input: input, output: output) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ClientHandler(isSocket: false))
            return try ByteChannel.wrapping(channel)
          }
        }
    } catch {
      close(input)
      close(output)
      throw WyomingServerError.cannotListen(
        address: "stdio", reason: "standard input and output must be pipes or sockets: \(error)")
    }
    await channel.serve(options)
  }
}
