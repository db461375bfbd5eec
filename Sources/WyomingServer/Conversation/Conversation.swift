import AudioCore
import ClientDependencies
import SpeechClient
import SpeechEngine
import Wyoming

/// One connection from its first byte to its last, whatever carries the bytes.
struct Conversation<Input: AsyncSequence<[UInt8], any Error> & Sendable>: Sendable {
  private let input: Input
  private let peer: Peer
  private let options: WyomingServerOptions
  private let watch: PeerWatch
  private let speechClient: SpeechClient
  private let speechEngine: SpeechEngine

  /// How long a client may take for its last events, which may say why the connection ends, and to
  /// go.
  private let farewell = Duration.seconds(5)
  private let clock: any Clock<Duration>

  /// - Parameter input: the client's bytes in any pieces, as fast as they are asked for.
  init(input: Input, peer: Peer, options: WyomingServerOptions) {
    @Dependency(\.speechClient) var speechClient
    @Dependency(\.speechEngine) var speechEngine
    @Dependency(\.continuousClock) var clock
    (self.input, self.peer, self.options) = (input, peer, options)
    (self.speechClient, self.speechEngine, self.clock) = (speechClient, speechEngine, clock)
    watch = PeerWatch(limit: options.idleTimeout, clock: clock)
  }

  /// Serves the client until it goes, or a fault or cancellation ends the connection; a fault is
  /// reported to the client.
  func run() async {
    let (failures, failure) = AsyncStream.makeStream(of: ServerFault.self)
    let fault = await firstEnding(
      of: { await serve { failure.yield(.recognition($0)) } },
      { await failures.first { _ in true } },
      { await idleFault() },
      {
        await peer.closed()
        return nil
      })
    guard !Task.isCancelled else { return }
    await farewell(fault)
  }

  /// Tells the client why its connection ends, where it is not by its own wish, and lets it go
  /// first.
  func farewell(_ fault: ServerFault?) async {
    _ = await firstEnding(
      of: {
        // An error here is that the client has gone already.
        if let fault, (try? await send(fault.event)) == nil { return nil }
        await peer.leave()
        return nil
      },
      {
        try? await clock.sleep(for: farewell)
        return nil
      })
  }

  /// How the first of them ends; the others are cancelled.
  private func firstEnding(
    of endings: @Sendable () async -> ServerFault?...
  ) async -> ServerFault? {
    await withTaskGroup(of: ServerFault?.self) { group in
      for ending in endings { group.addTask { await ending() } }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  private func idleFault() async -> ServerFault? {
    do {
      try await watch.untilIdle()
      return options.idleTimeout.map { .idle($0) }
    } catch {
      return nil
    }
  }

  private func send(_ event: WyomingEvent) async throws {
    try await watch.waiting { try await peer.send(event) }
  }

  /// Reads and answers events; returns at the end of the input, or with what was wrong with it.
  private func serve(whenFailed: @escaping @Sendable (any Error) -> Void) async -> ServerFault? {
    var reader = FrameReader(limits: options.limits)
    var machine = ConversationMachine()
    var transcription: TranscriptionJob?
    var bytes = input.makeAsyncIterator()
    do {
      while let piece = try await watch.waiting({ try await bytes.next() }) {
        reader.add(piece)
        while let event = try reader.next() {
          for action in try machine.take(event) {
            let answers = try await perform(action, &transcription, whenFailed)
            for answer in answers { try await send(answer) }
          }
        }
      }
      try reader.finish()
      return nil
    } catch let error as FrameError {
      return .malformed(error)
    } catch let error as ServerFault {
      return error
    } catch {
      // The connection broke, or the server ends.
      return nil
    }
  }

  /// What the client gets for it; the work that this takes ends with cancellation.
  private func perform(
    _ action: ConversationMachine.Action, _ transcription: inout TranscriptionJob?,
    _ whenFailed: @escaping @Sendable (any Error) -> Void
  ) async throws -> [WyomingEvent] {
    switch action {
    case .answer(let event): return [event]
    case .describe: return [try await working { await speechEngine.info() }]
    case .begin(let request):
      transcription = TranscriptionJob(
        request, with: speechClient, options: options, write: send, whenFailed: whenFailed)
      return []
    case .hear(let buffer):
      watch.take(audio: buffer.duration)
      try await working { await watch.recognizing { await transcription?.add(buffer) } }
      return []
    case .finish:
      defer { transcription = nil }
      do {
        return try await working {
          try await watch.recognizing { try await transcription?.finish() } ?? []
        }
      } catch {
        throw ServerFault.recognition(error)
      }
    }
  }

  /// Runs what an answer takes, while nobody reads.
  private func working<Result>(_ body: () async throws -> Result) async throws -> Result {
    peer.answering(true)
    defer { peer.answering(false) }
    let result = try await body()
    try Task.checkCancellation()
    return result
  }
}

/// The client's end of a connection, whatever carries its bytes.
struct Peer: Sendable {
  /// Sends an event; it may wait for the client to take it.
  var send: @Sendable (WyomingEvent) async throws -> Void
  /// Is called when the work on an answer begins and when it ends: meanwhile nobody reads, and who
  /// carries the bytes has to find out whether the client is still there.
  var answering: @Sendable (Bool) -> Void = { _ in }
  /// Returns when the connection is closed, or when it is cancelled.
  var closed: @Sendable () async -> Void
  /// Ends the server's side of the connection once all events are sent, and returns when the client
  /// has ended its own, or when it is cancelled.
  var leave: @Sendable () async -> Void
}
