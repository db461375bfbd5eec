import ClientDependencies
import SpeechClient
import SpeechEngine
import Wyoming

/// One connection from its first byte to its last, whatever carries the bytes.
struct Conversation<Input: AsyncSequence<[UInt8], any Error> & Sendable>: Sendable {
  typealias Write = @Sendable (WyomingEvent) async throws -> Void

  private let input: Input
  private let output: Write
  private let leave: @Sendable () async -> Void
  private let options: WyomingServerOptions
  private let watch: PeerWatch
  private let speechClient: SpeechClient
  private let speechEngine: SpeechEngine

  /// How long a client may take for its last event, which says why the connection ends, and to go.
  private let farewell = Duration.seconds(5)
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - input: the client's bytes in any pieces, as fast as they are asked for.
  ///   - leave: ends the server's side of the connection after a fault, and returns when the client
  ///     has ended its own, or when it is cancelled.
  ///   - output: sends an event; it may wait for the client to take it.
  init(
    input: Input, options: WyomingServerOptions, leave: @escaping @Sendable () async -> Void,
    output: @escaping Write
  ) {
    @Dependency(\.speechClient) var speechClient
    @Dependency(\.speechEngine) var speechEngine
    @Dependency(\.continuousClock) var clock
    (self.input, self.options, self.leave) = (input, options, leave)
    (self.speechClient, self.speechEngine, self.clock) = (speechClient, speechEngine, clock)
    let watch = PeerWatch(clock: clock)
    self.watch = watch
    self.output = { event in try await watch.waiting { try await output(event) } }
  }

  /// Serves the client until it goes, or a fault or cancellation ends the connection; a fault is
  /// told to the client.
  func run() async {
    let (failures, failure) = AsyncStream.makeStream(of: ServerFault.self)
    let fault = await firstEnding(
      of: { await serve { failure.yield(.recognition($0)) } },
      { await failures.first { _ in true } },
      { await idleFault() })
    guard let fault, !Task.isCancelled else { return }
    await farewell(fault)
  }

  /// Tells the client why its connection ends, and lets it go first.
  func farewell(_ fault: ServerFault) async {
    _ = await firstEnding(
      of: {
        // An error here is that the client has gone already.
        guard (try? await output(fault.event)) != nil else { return nil }
        await leave()
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
    guard let limit = options.idleTimeout else {
      // There is nothing to wait for, but the end of the others.
      for await _ in AsyncStream<Never>.makeStream().stream {}
      return nil
    }
    do {
      try await watch.untilIdle(for: limit)
      return .idle(limit)
    } catch {
      return nil
    }
  }

  /// Reads and answers events; returns at the end of the input, or with what was wrong with it.
  private func serve(whenFailed: @escaping @Sendable (any Error) -> Void) async -> ServerFault? {
    var reader = FrameReader(limits: options.limits)
    var machine = ConversationMachine()
    var transcription: Transcription?
    var bytes = input.makeAsyncIterator()
    do {
      while let piece = try await watch.waiting({ try await bytes.next() }) {
        reader.add(piece)
        while let event = try reader.next() {
          for action in try machine.take(event) {
            try await perform(action, &transcription, whenFailed)
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

  private func perform(
    _ action: ConversationMachine.Action, _ transcription: inout Transcription?,
    _ whenFailed: @escaping @Sendable (any Error) -> Void
  ) async throws {
    switch action {
    case .answer(let event): try await output(event)
    case .describe:
      let info = await speechEngine.info()
      try Task.checkCancellation()
      try await output(info)
    case .begin(let wish):
      transcription = Transcription(
        wish, with: speechClient, options: options, write: output, whenFailed: whenFailed)
    case .hear(let buffer): await transcription?.hear(buffer)
    case .finish:
      do { try await transcription?.finish() } catch { throw ServerFault.recognition(error) }
      transcription = nil
    }
  }
}
