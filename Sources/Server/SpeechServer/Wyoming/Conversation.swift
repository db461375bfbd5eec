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
  private let clients: ClientTable
  private let input: Input
  private let peer: Peer
  private let options: SpeechServerOptions
  private let watch: PeerWatch
  private let speechClient: SpeechClient
  private let speechEngine: SpeechEngine

  /// The time for a client to receive its last events and to disconnect.
  private let farewell = Duration.seconds(5)
  private let clock: any Clock<Duration>

  /// Creates a conversation.
  ///
  /// `client` is the number of the client in `clients` and for reports. `input` has the client's bytes
  /// in pieces of any size, read on demand.
  init(
    client: Int, of clients: ClientTable, input: Input, peer: Peer, options: SpeechServerOptions
  ) {
    @Dependency(\.speechClient) var speechClient
    @Dependency(\.speechEngine) var speechEngine
    @Dependency(\.continuousClock) var clock
    (self.client, self.clients, self.input) = (client, clients, input)
    (self.peer, self.options) = (peer, options)
    (self.speechClient, self.speechEngine, self.clock) = (speechClient, speechEngine, clock)
    watch = PeerWatch(limit: options.idleTimeout, clock: clock)
  }

  /// Serves the client until it disconnects, or a fault or cancellation ends the connection.
  ///
  /// A fault is reported to the client and to the server's owner.
  func run() async {
    let (failures, failure) = AsyncStream.makeStream(of: ServerFault.self)
    let fault = await firstEnding(
      of: { await serve { failure.yield(.recognition($0)) } },
      { await failures.first { _ in true } },
      { await watch.untilFault() },
      {
        await peer.closed()
        return nil
      })
    guard !Task.isCancelled else { return }
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

  private func send(_ event: WyomingEvent) async throws {
    try await watch.waiting { try await peer.send(event) }
  }

  /// Reads and responds to events; the client has a place among the recognizers from its first audio
  /// on.
  ///
  /// Returns at the end of the input, or with the fault.
  private func serve(whenFailed: @escaping @Sendable (any Error) -> Void) async -> ServerFault? {
    defer { clients.leave(client) }
    var reader = FrameReader(limits: options.limits)
    var machine = ConversationMachine()
    var utterance: LiveRecognition<[WyomingEvent]>?
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
    _ action: ConversationMachine.Action,
    _ utterance: inout LiveRecognition<[WyomingEvent]>?,
    _ whenFailed: @escaping @Sendable (any Error) -> Void
  ) async throws -> [WyomingEvent] {
    switch action {
    case .answer(let event): return [event]
    case .describe: return [try await working { await speechEngine.info() }]
    case .begin(let request):
      try await working { try await clients.enter(client, watch) }
      utterance = recognition(request, whenFailed)
      return []
    case .add(let buffer):
      try await working { await utterance?.add(buffer) }
      return []
    case .finish: return try await finish(utterance.take())
    }
  }

  /// Starts to recognize audio; the output has the events that are left at the end.
  private func recognition(
    _ asked: TranscriptionRequest, _ whenFailed: @escaping @Sendable (any Error) -> Void
  ) -> LiveRecognition<[WyomingEvent]> {
    LiveRecognition(of: client, watch, options) { request in
      var request = options.prepare(request)
      if let language = asked.language { request.locale = language }
      request.contextualPhrases += asked.phrases
      // The protocol has no word timestamps.
      request.measuresWordTimes = false
      return await options.recognition(of: request, for: client, by: speechClient)
    } process: { events in
      var writer = TranscriptWriter(language: asked.language)
      for try await event in events {
        let answers =
          switch event {
          case .result(let result): writer.process(result)
          case .dropped(_, let reason): writer.drop(reason)
          default: [WyomingEvent]()
          }
        for answer in answers { try await send(answer) }
      }
      return writer.flush()
    } whenFailed: {
      whenFailed($0)
    }
  }

  /// Returns the last events of an utterance.
  private func finish(
    _ utterance: LiveRecognition<[WyomingEvent]>?
  ) async throws -> [WyomingEvent] {
    guard let utterance else { return [] }
    do {
      let events = try await working(utterance.finish)
      await utterance.report()
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
