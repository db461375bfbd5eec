import AudioCore
import AudioThreads
import ClientDependencies
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOWebSocket
import SpeechClient
import Synchronization
import Wyoming

extension HTTPService {
  /// Serves a realtime session until its WebSocket is closed.
  func serveRealtime(_ socket: WebSocket, _ head: HTTPRequestHead, client: Int) async {
    let channel = socket.channel
    if let address = WyomingAddress(channel.remoteAddress) {
      await options.report(.connected(client: client, from: address))
    }
    // An error means that the client has disconnected.
    try? await socket.executeThenClose { input, output in
      let connection = RealtimeConnection(
        client: client, head.uri, self,
        try await channel.pipeline.handler(type: UnfinishedMessage.self).get())
      await connection.run(input, output, on: channel)
    }
  }
}

/// A realtime session over a WebSocket.
///
/// The client has a place among the recognizers while its audio is recognized: from the first audio
/// until a commit, or until it sends no audio for the idle limit or is replaced. Without a place, it
/// may be idle for any time. Only a client that reads nothing, or does not end a message, for the
/// idle limit is disconnected.
private final class RealtimeConnection: Sendable {
  typealias Frames = NIOAsyncChannelInboundStream<WebSocketFrame>

  private enum Input {
    case message(String)
    /// The client with this watch has lost its place.
    case interruption(ServerFault, PeerWatch)
  }

  /// The time for a client to receive its last events and to disconnect.
  private static let farewell = Duration.seconds(5)

  private let client: Int
  private let options: SpeechServerOptions
  private let clients: ClientTable
  private let speechClient: SpeechClient
  private let clock: any Clock<Duration>
  private let unfinished: UnfinishedMessage

  // The lock is held for one event, and until its responses are in `output`, so that they are in
  // order.
  private let session: Mutex<RealtimeSession>
  /// Messages that have been received and not processed, at most one.
  private let inbox = PolicyPipe<Input>(policy: .keepingAll(limit: 1))
  private let output = PolicyPipe<WebSocketFrame>(policy: .keepingAll(limit: 16))
  /// The status code with which the client closes the connection.
  // Written before the end of `inbox`, whose lock orders the accesses, and read after it.
  private let closeCode = Atomic<UInt16>(1_000)
  private let faults = AsyncStream.makeStream(of: ServerFault.self)
  private let farewells = AsyncStream.makeStream(of: Void.self)

  init(client: Int, _ uri: String, _ service: HTTPService, _ unfinished: UnfinishedMessage) {
    @Dependency(\.continuousClock) var clock
    (self.client, self.clock) = (client, clock)
    (options, clients, speechClient) = (service.options, service.clients, service.speechClient)
    self.unfinished = unfinished
    let query = URLComponents(string: uri)?.queryItems ?? []
    func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
    let configuration = RealtimeConfiguration(
      model: value("model"), partials: value("partials") == "true")
    session = Mutex(
      RealtimeSession(
        id: String(UInt64.random(in: .min ... .max), radix: 36), configuration: configuration))
  }

  /// Serves the client until it disconnects, or a fault or cancellation ends the connection.
  func run(
    _ input: Frames, _ output: NIOAsyncChannelOutboundWriter<WebSocketFrame>,
    on channel: any Channel
  ) async {
    let closed = { @Sendable in await channel.untilClosed() }
    let sender = Task { [pipe = self.output] in
      // An error means that the client has disconnected.
      for try await frame in pipe.stream() { try await output.write(frame) }
      // Closing at once would drop the frames that a slow client has not received.
      try await channel.result(of: channel.close(mode: .output))
    }
    await withTaskCancellationHandler {
      _ = await firstEnding(
        of: { await self.read(input, closed) }, { await self.serve(closed) },
        { await self.endAfterFault() }, { await self.watchMessages() },
        {
          await closed()
          return nil
        },
        { await self.endOfFarewell() })
    } onCancel: {
      close(1_001, "")
    }
    self.output.finish()
    // The farewell is limited even if this task is canceled.
    let farewell = Task { [clock] in
      try? await clock.sleep(for: Self.farewell)
      sender.cancel()
    }
    _ = await sender.result
    farewell.cancel()
  }

  private func endAfterFault() async -> ServerFault? {
    for await fault in faults.stream {
      await end(fault)
      break
    }
    return nil
  }

  /// Reports a fault when a message does not end within the idle limit.
  private func watchMessages() async -> ServerFault? {
    for await _ in unfinished.changes.stream {
      while let limit = options.idleTimeout, let wait = unfinished.currentWait {
        guard (try? await clock.sleep(for: limit)) != nil else { return nil }
        if unfinished.currentWait == wait { faults.continuation.yield(.idle(limit)) }
      }
    }
    return nil
  }

  private func endOfFarewell() async -> ServerFault? {
    for await _ in farewells.stream {
      try? await clock.sleep(for: Self.farewell)
      break
    }
    return nil
  }

  // MARK: Events

  /// Changes the session, sends its events, and returns the other actions.
  @discardableResult
  private func step(
    _ change: (inout RealtimeSession) -> [RealtimeSession.Action]
  ) -> [RealtimeSession.Action] {
    session.withLock { session in
      change(&session).filter { action in
        guard case .send(let event) = action else { return true }
        output.send(
          WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: event.text)))
        return false
      }
    }
  }

  /// Waits until there is room for an event; if the client reads nothing for the idle limit, reports
  /// a fault.
  private func room() async {
    guard !output.inspect({ $0.hasRoom }) else { return }
    let timer = Task { [clock, faults, limit = options.idleTimeout] in
      guard let limit, (try? await clock.sleep(for: limit)) != nil else { return }
      faults.continuation.yield(.idle(limit))
    }
    defer { timer.cancel() }
    _ = await output.room()
  }

  /// Sends a fault, and then nothing more.
  private func end(_ fault: ServerFault) async {
    step { [$0.failure(RealtimeError(fault))] }
    close(fault.closeCode, fault.code)
    options.meters.countFault(fault.code)
    await options.report(.failed(client: client, code: fault.code, reason: fault.text))
  }

  private func close(_ code: UInt16, _ reason: String) {
    var data = ByteBuffer(integer: code)
    data.writeString(reason)
    let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
    // No frame may follow, not even between these two.
    output.change {
      $0.send(frame)
      $0.finish(throwing: nil)
    }
  }

  // MARK: Messages

  /// Reads messages until the client disconnects.
  private func read(
    _ input: Frames, _ closed: @Sendable () async -> Void
  ) async -> ServerFault? {
    var messages = RealtimeMessages(frames: input.makeAsyncIterator(), unfinished: unfinished)
    do {
      while let text = try await messages.next(pong) {
        inbox.send(.message(text))
        guard await inbox.room() else { break }
      }
      guard !Task.isCancelled else { return nil }
      closeCode.store(messages.closeCode, ordering: .relaxed)
      inbox.finish()
    } catch {
      guard !Task.isCancelled else { return nil }
      inbox.finish(throwing: error)
    }
    // Closing a connection with unread bytes would reset it, and the client might not get the last
    // events.
    await messages.skip()
    await closed()
    return nil
  }

  private func pong(_ data: ByteBuffer) async {
    output.send(WebSocketFrame(fin: true, opcode: .pong, data: data))
    await room()
  }

  /// Responds to messages until the client disconnects.
  private func serve(_ closed: @Sendable () async -> Void) async -> ServerFault? {
    // The reader continues without this task.
    defer { inbox.change { $0.abandon() } }
    step { [$0.start()] }
    // A client that has had a place waits as long as a file; its audio waits with it.
    var limit = Duration.milliseconds(500)
    do {
      while let input = try await inbox.next() {
        guard case .message(let text) = input else { continue }
        let actions = step { $0.process(text.utf8) }
        await room()
        guard !actions.isEmpty else { continue }
        let watch = PeerWatch(limit: options.idleTimeout, clock: clock)
        try await clients.enter(client, within: limit, watch)
        limit = HTTPService.placeTimeout
        defer { clients.leave(client) }
        try await recognize(actions, watch)
      }
      if !Task.isCancelled { close(closeCode.load(ordering: .relaxed), "") }
    } catch {
      inbox.change { $0.abandon() }
      guard !Task.isCancelled, let fault = ServerFault(ending: error) else { return nil }
      await end(fault)
      farewells.continuation.yield()
      await closed()
    }
    return nil
  }

  // MARK: Recognition

  /// Responds to messages until the recognition ends.
  private func recognize(_ first: [RealtimeSession.Action], _ watch: PeerWatch) async throws {
    let interruption = Task { [inbox] in
      guard let fault = await watch.untilFault() else { return }
      inbox.send(.interruption(fault, watch))
    }
    defer { interruption.cancel() }
    var recognition: LiveRecognition<Void>?
    var actions = first
    repeat {
      for action in actions { try await perform(action, &recognition, watch) }
      await watch.waiting { await room() }
      guard recognition != nil, let input = try await watch.waiting({ try await inbox.next() })
      else {
        // The place is free when the recognition has ended.
        await recognition?.abandon()
        return
      }
      switch input {
      case .message(let text): actions = step { $0.process(text.utf8) }
      case .interruption(let fault, let interrupted):
        actions = interrupted === watch ? step { $0.interrupt(fault) } : []
        if interrupted === watch, actions.isEmpty { return }
      }
    } while true
  }

  private func perform(
    _ action: RealtimeSession.Action, _ recognition: inout LiveRecognition<Void>?,
    _ watch: PeerWatch
  ) async throws {
    switch action {
    case .send: break
    case .begin(let number, let configuration):
      recognition = begin(number, configuration, watch)
    case .add(let buffer): await recognition?.add(buffer)
    case .finish:
      // The session has reported an error of the recognition.
      if let ended = recognition.take(), (try? await ended.finish()) != nil { await ended.report() }
    case .abandon: await recognition.take()?.abandon()
    }
    try Task.checkCancellation()
  }

  private func begin(
    _ number: Int, _ configuration: RealtimeConfiguration, _ watch: PeerWatch
  ) -> LiveRecognition<Void> {
    LiveRecognition(of: client, watch, options) { [self] request in
      var request = options.prepare(request)
      let name = configuration.audio.input.transcription?.model
      let model = name == nil ? nil : await ServerModel.installed().first { $0.id == name }
      model?.apply(to: &request)
      configuration.apply(to: &request)
      return await options.recognition(
        of: request, for: client, by: speechClient, with: model?.engine)
    } process: { [self] events in
      for try await event in events {
        step { $0.process(event, of: number) }
        // A client that does not read delays its recognition.
        await watch.waiting { await room() }
      }
      step { $0.end(number) }
    } whenFailed: { [self] error in
      step { $0.end(number, throwing: error) }
    }
  }
}
