import AudioCore
import AudioThreads
import ClientDependencies
import CoreMetrics
import SpeechClient
import SpeechEngine
import Wyoming

/// A connection with a client, over any transport.
struct Conversation<Input: AsyncSequence<[UInt8], any Error> & Sendable>: Sendable {
  private let client: Int
  private let input: Input
  private let peer: Peer
  private let options: WyomingServerOptions
  private let watch: PeerWatch
  private let speechClient: SpeechClient
  private let speechEngine: SpeechEngine

  /// The recognition of a client's audio, the time since `audio-start`, and the length of the
  /// audio.
  private typealias Utterance = (job: TranscriptionJob, stopwatch: Stopwatch, audio: Duration)

  /// The time for a client to receive its last events and to disconnect.
  private let farewell = Duration.seconds(5)
  private let clock: any Clock<Duration>

  /// Creates a conversation.
  ///
  /// `client` is the number of the client for reports. `input` has the client's bytes in pieces of
  /// any size, read on demand. `watch` measures the client's idle time; if it is nil, the
  /// conversation creates its own.
  init(
    client: Int, input: Input, peer: Peer, options: WyomingServerOptions, watch: PeerWatch? = nil
  ) {
    @Dependency(\.speechClient) var speechClient
    @Dependency(\.speechEngine) var speechEngine
    @Dependency(\.continuousClock) var clock
    (self.client, self.input, self.peer, self.options) = (client, input, peer, options)
    (self.speechClient, self.speechEngine, self.clock) = (speechClient, speechEngine, clock)
    self.watch = watch ?? PeerWatch(limit: options.idleTimeout, clock: clock)
  }

  /// Serves the client until it disconnects, or a fault or cancellation ends the connection.
  ///
  /// A fault is reported to the client and to the server's owner.
  func run() async {
    options.meters.clients.increment()
    defer { options.meters.clients.decrement() }
    let (failures, failure) = AsyncStream.makeStream(of: ServerFault.self)
    let fault = await firstEnding(
      of: { await serve { failure.yield(.recognition($0)) } },
      { await failures.first { _ in true } },
      { await idleFault() },
      {
        await watch.untilReplaced()
        return .replaced
      },
      {
        await peer.closed()
        return nil
      })
    guard !Task.isCancelled else { return }
    await farewell(fault)
  }

  /// Reports the fault, if any, and waits until the client disconnects.
  func farewell(_ fault: ServerFault?) async {
    if let fault {
      options.meters.countFault(fault.code)
      await options.report(.failed(client: client, code: fault.code, reason: fault.text))
    }
    _ = await firstEnding(
      of: {
        // An error means that the client has disconnected.
        if let fault, (try? await send(fault.event)) == nil { return nil }
        await peer.leave()
        return nil
      },
      {
        try? await clock.sleep(for: farewell)
        return nil
      })
  }

  /// Returns the result of the closure that returns first, and cancels the others.
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
    guard (try? await watch.untilIdle()) != nil else { return nil }
    return options.idleTimeout.map { .idle($0) }
  }

  private func send(_ event: WyomingEvent) async throws {
    try await watch.waiting { try await peer.send(event) }
  }

  /// Reads and responds to events.
  ///
  /// Returns at the end of the input, or with the fault.
  private func serve(whenFailed: @escaping @Sendable (any Error) -> Void) async -> ServerFault? {
    var reader = FrameReader(limits: options.limits)
    var machine = ConversationMachine()
    var utterance: Utterance?
    var bytes = input.makeAsyncIterator()
    do {
      while let piece = try await watch.waiting({ try await bytes.next() }) {
        reader.add(piece)
        while let event = try await nextEvent(&reader) {
          for action in try machine.process(event) {
            let answers = try await perform(action, &utterance, whenFailed)
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
      // The client has disconnected, or the server is ending.
      return nil
    }
  }

  /// Returns the next event; a long text is parsed on its own thread, so that it does not delay
  /// other clients.
  private func nextEvent(_ reader: inout FrameReader) async throws -> WyomingEvent? {
    let event = try reader.next(longest: FrameReader.quick)
    guard reader.hasLongText else { return event }
    do {
      let parsed = try await DedicatedThread.run(name: "syrinx-frame") { [reader] in
        var reader = reader
        return (event: try reader.next(), reader: reader)
      }
      reader = parsed.reader
      return parsed.event
    } catch let error as SystemError {
      throw ServerFault.recognition(SpeechClientError.noResources(reason: "\(error)"))
    }
  }

  /// Performs an action and returns the events for the client.
  private func perform(
    _ action: ConversationMachine.Action, _ utterance: inout Utterance?,
    _ whenFailed: @escaping @Sendable (any Error) -> Void
  ) async throws -> [WyomingEvent] {
    switch action {
    case .answer(let event): return [event]
    case .describe: return [try await working { await speechEngine.info() }]
    case .begin(let request):
      options.meters.requests.increment()
      let job = TranscriptionJob(
        request, of: client, with: speechClient, options: options, write: send,
        whenFailed: whenFailed)
      utterance = (job, Stopwatch(clock), .zero)
      return []
    case .add(let buffer):
      watch.credit(audio: buffer.duration)
      utterance?.audio += buffer.duration
      try await working { await watch.recognizing { await utterance?.job.add(buffer) } }
      return []
    case .finish: return try await finish(utterance.take())
    }
  }

  /// Returns the last events of an utterance.
  private func finish(_ utterance: Utterance?) async throws -> [WyomingEvent] {
    guard let utterance else { return [] }
    do {
      let events = try await working { try await watch.recognizing(utterance.job.finish) }
      let elapsed = utterance.stopwatch.elapsed()
      options.meters.recordTranscript(of: utterance.audio, after: elapsed)
      await options.report(.recognized(client: client, audio: utterance.audio, elapsed: elapsed))
      return events
    } catch {
      throw ServerFault.recognition(error)
    }
  }

  /// Runs the work for a response.
  ///
  /// The conversation does not read from the client meanwhile.
  private func working<Result>(_ body: () async throws -> Result) async throws -> Result {
    peer.answering(true)
    defer { peer.answering(false) }
    let result = try await body()
    try Task.checkCancellation()
    return result
  }
}

/// The client's end of a connection, over any transport.
struct Peer: Sendable {
  /// Sends an event, and may wait until the client receives it.
  var send: @Sendable (WyomingEvent) async throws -> Void
  /// Called with true when the work on a response begins, and with false when the work ends.
  ///
  /// The conversation does not read meanwhile, so the transport must check whether the client is
  /// still connected.
  var answering: @Sendable (Bool) -> Void = { _ in }
  /// Returns when the connection is closed or the call is canceled.
  var closed: @Sendable () async -> Void
  /// Closes the server's side after all events are sent, and returns when the client closes its
  /// side or the call is canceled.
  var leave: @Sendable () async -> Void
}
