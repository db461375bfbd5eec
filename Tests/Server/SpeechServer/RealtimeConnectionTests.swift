import AudioCore
import ClientDependencies
import SpeechClient
import SpeechEngine
import Synchronization
import Testing
import Wyoming

@testable import SpeechServer
@testable import WyomingEngine

@Suite(.timeLimit(.minutes(1))) struct RealtimeConnectionTests {
  private let clock = TestClock()
  private let speech = CountingSpeech()
  private let engine = SpeechEngine(
    name: "test",
    availability: { .ready(SpeechModel(language: "en-US", location: "here")) },
    makeSession: { _ in throw SpeechEngineError.failed(reason: "unused") })

  /// Runs a server, and ends it after `body`.
  private func serving(
    connections: Int = 4, idleTimeout: Duration? = .seconds(30), speech: SpeechClient? = nil,
    report: @escaping @Sendable (SpeechServerReport) async -> Void = { _ in },
    _ body: @escaping @Sendable (WyomingAddress) async throws -> Void
  ) async throws {
    try await servingHTTP(
      speech: speech ?? self.speech.client, engine: engine, clock: clock,
      options: {
        ($0.maximumConnections, $0.idleTimeout, $0.report) = (connections, idleTimeout, report)
      },
      { try await body($0.address) })
  }

  /// Runs a server and a client that blocks its thread, and disconnects it.
  private func client(_ body: @escaping @Sendable (WebSocketClient) throws -> Void) async throws {
    try await serving { address in
      try await onThread {
        let client = try WebSocketClient(address)
        defer { client.close() }
        try client.event("session.created")
        try body(client)
      }
    }
  }

  private let commit: JSONValue = ["type": "input_audio_buffer.commit"]
  private let completed = "conversation.item.input_audio_transcription.completed"

  // MARK: Sessions

  @Test func `audio that the client commits gets a transcript, again and again`() async throws {
    try await client { [commit, completed] client in
      for tenths in 1...3 {
        for _ in 0..<tenths { try client.append() }
        try client.send(commit)
        #expect(
          try client.event(completed)["transcript"]
            == .string("\(2_400 * tenths) frames at 24000 in any"))
      }
      try client.frame(8, [3, 232])
      #expect(try client.closeCode() == 1_000)
      #expect(try client.next() == .end)
    }
  }

  @Test func `the model and partial results may be in the address`() async throws {
    try await serving { [commit] address in
      try await onThread {
        let client = try WebSocketClient(address, query: "model=a%20b&partials=true")
        let session = try client.event("session.created")["session"]
        #expect(session?["audio"]?["input"]?["transcription"]?["model"] == "a b")
        try client.append()
        try client.send(commit)
        #expect(try client.event("syrinx.partial")["stable"] == "2400 frames at 24000 in any")
        client.close()
      }
    }
  }

  @Test func `a wrong event is an error, and the session stays open`() async throws {
    try await client { [commit, completed] client in
      try client.send(["type": "nonsense", "event_id": "mine"])
      #expect(try client.event("error")["error"]?["event_id"] == "mine")
      try client.send(commit)
      #expect(
        try client.event("error")["error"]?["code"] == "input_audio_buffer_commit_empty")
      try client.append()
      try client.send(["type": "input_audio_buffer.append", "audio": "AAAA"])
      #expect(try client.event("error")["error"]?["param"] == "audio")
      try client.send(commit)
      try client.event(completed)
    }
  }

  @Test func `a failed recognition is an error, and the next one is tried`() async throws {
    let failing = SpeechClient.scripted { _, _ in
      throw SpeechClientError.unavailable(reason: "no model")
    }
    try await serving(speech: failing) { address in
      try await onThread {
        let client = try WebSocketClient(address)
        for _ in 0..<3 {
          try client.append()
          #expect(try client.event("error")["error"]?["code"] == "unavailable")
        }
        client.close()
      }
    }
  }

  // MARK: Frames

  @Test func `a message may be in fragments, with pings between them`() async throws {
    try await client { client in
      let text = JSONValue.object(["type": "ä", "event_id": "mine"]).text
      for index in 0..<63 {
        let piece = index < text.count ? [text[index]] : []
        try client.frame(index == 0 ? 1 : 0, piece, isFinal: false)
        try client.frame(9, [UInt8(index)])
        #expect(try client.next() == .pong([UInt8(index)]))
      }
      try client.frame(0, [])
      #expect(try client.event("error")["error"]?["event_id"] == "mine")
    }
  }

  @Test func `many pings are answered in order`() async throws {
    try await client { client in
      for index in 0..<3_000 { try client.frame(9, [UInt8(index % 256)]) }
      for index in 0..<3_000 { #expect(try client.next() == .pong([UInt8(index % 256)])) }
    }
  }

  /// A frame that ends the connection: opcode, payload, final, reserved bits, masked, length.
  typealias Wrong = (UInt8, [UInt8], Bool, UInt8, Bool, Int?)

  @Test(
    arguments: [
      ((1, [123, 125], true, 0, false, nil), "protocol_error", 1_002),
      ((1, [123, 125], true, 4, true, nil), "protocol_error", 1_002),
      ((0, [123, 125], true, 0, true, nil), "protocol_error", 1_002),
      ((3, [], true, 0, true, nil), "protocol_error", 1_002),
      ((9, [1], false, 0, true, nil), "protocol_error", 1_002),
      ((9, [UInt8](repeating: 0, count: 126), true, 0, true, nil), "protocol_error", 1_002),
      ((2, [1, 2], true, 0, true, nil), "binary_message", 1_003),
      ((1, [0xFF, 0x22], true, 0, true, nil), "invalid_text", 1_007),
      ((1, [], true, 0, true, 4 << 20 + 1), "message_too_big", 1_009),
      ((1, [], true, 0, true, .max), "message_too_big", 1_009),
    ] as [(Wrong, String, Int)])
  func `a wrong frame gets an error and a close frame with its code`(
    frame: Wrong, code: String, closeCode: Int
  ) async throws {
    try await client { client in
      try client.frame(
        frame.0, frame.1, isFinal: frame.2, reserved: frame.3, isMasked: frame.4, length: frame.5)
      #expect(try client.event("error")["error"]?["code"] == .string(code))
      #expect(try client.closeCode() == closeCode)
    }
  }

  @Test func `too many fragments, or too long ones, end the connection`() async throws {
    try await client { client in
      for index in 0..<65 { try client.frame(index == 0 ? 1 : 0, [32], isFinal: false) }
      #expect(try client.closeCode() == 1_009)
    }
    try await client { client in
      let half = [UInt8](repeating: 32, count: 2_200_000)
      try client.frame(1, half, isFinal: false)
      try client.frame(0, half, isFinal: false)
      #expect(try client.closeCode() == 1_009)
    }
    try await client { client in
      try client.frame(1, [32], isFinal: false)
      try client.frame(1, [32])
      #expect(try client.closeCode() == 1_002)
    }
  }

  // MARK: Places

  @Test func `a client without audio stays connected for any time, and has no place`() async throws
  {
    try await serving(connections: 1) {
      [clock, commit, completed] address in
      let idle = try await onThread { try (0..<20).map { _ in try WebSocketClient(address) } }
      await clock.advance(by: .seconds(86_400))
      try await onThread {
        let client = try WebSocketClient(address)
        try client.append()
        try client.send(commit)
        try client.event(completed)
        client.close()
        for client in idle {
          try client.event("session.created")
          try client.frame(9, [1])
          #expect(try client.next() == .pong([1]))
          client.close()
        }
      }
    }
  }

  /// Connects a client that sends a tenth of a second of audio, and waits for its recognition.
  private func speaker(_ address: WyomingAddress, _ update: JSONValue = [:]) async throws
    -> WebSocketClient
  {
    let client = try await onThread {
      let client = try WebSocketClient(address)
      try client.send(["type": "session.update", "session": update])
      try client.event("session.updated")
      try client.append()
      return client
    }
    _ = await speech.tally.begun.stream.first { _ in true }
    return client
  }

  @Test func `a client that finds no place gets an error and is disconnected`() async throws {
    try await serving(connections: 1) { [clock] address in
      let first = try await speaker(address)
      let second = try await onThread {
        let client = try WebSocketClient(address)
        try client.event("session.created")
        try client.append()
        return client
      }
      // The first client's limit, and the wait of the second client.
      await clock.sleepers(atLeast: 2)
      await clock.advance(by: .milliseconds(500))
      try await onThread { () throws in
        #expect(try second.event("error")["error"]?["code"] == "busy")
        #expect(try second.closeCode() == 1_013)
        second.close()
        try first.frame(9, [1])
        #expect(try first.next() == .pong([1]))
        first.close()
      }
    }
  }

  @Test func `a client without more audio gets its words, and later a place again`() async throws {
    try await serving(connections: 1) { [clock, commit, completed] address in
      let client = try await speaker(address)
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(30))
      try await onThread { () throws in
        #expect(try client.event(completed)["transcript"] == "2400 frames at 24000 in any")
      }
      await clock.advance(by: .seconds(3_600))
      try await onThread {
        try client.append(tenths: 2)
        try client.send(commit)
        // No error was sent before.
        while true {
          guard case .event(let event) = try client.next() else { throw LinkError.ended }
          #expect(event["type"] != "error")
          guard event["type"]?.string == completed else { continue }
          #expect(event["transcript"] == "4800 frames at 24000 in any")
          break
        }
        client.close()
      }
    }
  }

  @Test func `an item that the client has not committed ends with its place, and an error says so`()
    async throws
  {
    try await serving { [clock, completed] address in
      let client = try await speaker(address, ["audio": ["input": ["turn_detection": .null]]])
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(30))
      try await onThread { () throws in
        #expect(try client.event("error")["error"]?["code"] == "idle")
        #expect(try client.event(completed)["transcript"] == "2400 frames at 24000 in any")
        try client.frame(9, [1])
        while try client.next() != .pong([1]) {}
        client.close()
      }
    }
  }

  @Test func `a replaced client gets its words, and keeps its connection`() async throws {
    try await serving(connections: 1) { [clock, commit, completed] address in
      let first = try await speaker(address)
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(5))
      try await onThread {
        let second = try WebSocketClient(address)
        try second.append(tenths: 2)
        try second.send(commit)
        #expect(try second.event(completed)["transcript"] == "4800 frames at 24000 in any")
        #expect(try first.event(completed)["transcript"] == "2400 frames at 24000 in any")
        second.close()
        try first.append(tenths: 3)
        try first.send(commit)
        #expect(try first.event(completed)["transcript"] == "7200 frames at 24000 in any")
        first.close()
      }
    }
  }

  @Test func `a client that commits its audio needs no place until the next audio`() async throws {
    try await serving(connections: 1) { [commit, completed] address in
      try await onThread {
        let clients = try (0..<3).map { _ in try WebSocketClient(address) }
        for client in clients + clients {
          try client.append()
          try client.send(commit)
          try client.event(completed)
          // The place is free when the next message is answered.
          try client.frame(9, [1])
          while try client.next() != .pong([1]) {}
          try client.send(["type": "nonsense"])
          try client.event("error")
        }
        for client in clients { client.close() }
      }
    }
  }

  // MARK: Clients that keep the server waiting

  @Test func `a large message that does not end disconnects the client after the time limit`()
    async throws
  {
    try await serving { [clock] address in
      let client = try await onThread {
        let client = try WebSocketClient(address)
        try client.event("session.created")
        try client.frame(1, [UInt8](repeating: 32, count: 200_000), length: 300_000)
        return client
      }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(30))
      try await onThread { () throws in
        #expect(try client.event("error")["error"]?["code"] == "idle")
        #expect(try client.closeCode() == 1_001)
        client.close()
      }
    }
  }

  @Test func `pings do not prolong the time limit of a large message`() async throws {
    try await serving { [clock] address in
      let client = try await onThread {
        let client = try WebSocketClient(address)
        try client.event("session.created")
        try client.frame(1, [UInt8](repeating: 32, count: 100_000), isFinal: false)
        return client
      }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(20))
      try await onThread { () throws in
        try client.frame(9, [1])
        #expect(try client.next() == .pong([1]))
      }
      await clock.advance(by: .seconds(10))
      try await onThread { () throws in
        #expect(try client.event("error")["error"]?["code"] == "idle")
        client.close()
      }
    }
  }

  @Test func `large messages that end do not disconnect the client`() async throws {
    try await serving { [clock] address in
      let client = try await onThread {
        let client = try WebSocketClient(address)
        let spaces = [UInt8](repeating: 32, count: 100_000)
        try client.frame(1, spaces, isFinal: false)
        try client.frame(0, spaces)
        try client.event("error")
        try client.frame(1, spaces)
        try client.event("error")
        return client
      }
      await clock.advance(by: .seconds(3_600))
      try await onThread {
        try client.frame(9, [1])
        #expect(try client.next() == .pong([1]))
        client.close()
      }
    }
  }

  @Test func `a client that reads nothing is disconnected after the time limit`() async throws {
    let failures = Mutex<[String]>([])
    try await serving(report: { report in
      if case .failed(_, let code, _) = report { failures.withLock { $0.append(code) } }
    }) { [clock] address in
      let client = try await onThread { try WebSocketClient(address) }
      while failures.withLock(\.isEmpty) {
        try await onThread { try client.flood() }
        await clock.advance(by: .seconds(30))
      }
      client.close()
    }
    #expect(failures.withLock { $0 } == ["idle"])
  }

  @Test func `a client that reads nothing delays the end of the server by five seconds at most`()
    async throws
  {
    let (clients, connected) = AsyncStream.makeStream(of: WebSocketClient.self)
    let time = Task { [clock] in
      let client = await clients.first { _ in true }
      defer { withExtendedLifetime(client) {} }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(5))
    }
    // Without a limit, only the farewell sleeps.
    try await serving(idleTimeout: nil) { address in
      let client = try await onThread {
        let client = try WebSocketClient(address)
        try client.flood()
        return client
      }
      connected.yield(client)
    }
    time.cancel()
  }

  @Test func `a client is told that the server ends`() async throws {
    let (clients, connected) = AsyncStream.makeStream(of: WebSocketClient.self)
    let (reports, report) = AsyncStream.makeStream(of: SpeechServerReport.self)
    try await serving(report: { report.yield($0) }) { address in
      connected.yield(try await speaker(address))
    }
    report.finish()
    let client = try #require(await clients.first { _ in true })
    #expect(try await onThread { try client.closeCode() } == 1_001)
    client.close()
    // The abandoned audio is not reported, and neither is a fault.
    let all = await reports.reduce(into: []) { $0.append($1) }
    guard case .connected(client: 1, from: .tcp(host: "127.0.0.1", _))? = all.first else {
      Issue.record("no connection was reported")
      return
    }
    #expect(all.count == 1)
  }

  @Test func `the recognition of a client that leaves while it waits is abandoned`() async throws {
    let (endings, ending) = AsyncStream.makeStream(of: Void.self)
    let (releases, release) = AsyncStream.makeStream(of: Void.self)
    let stuck = SpeechClient.scripted { _, buffers in
      for try await _ in buffers {}
      ending.yield()
      // Ends when the recognition is canceled.
      for await _ in releases {}
      ending.finish()
      return nil
    }
    try await serving(speech: stuck) { [commit] address in
      try await onThread {
        let client = try WebSocketClient(address)
        try client.send([
          "type": "session.update", "session": ["audio": ["input": ["turn_detection": .null]]],
        ])
        try client.append()
        try client.send(commit)
        try client.event("input_audio_buffer.committed")
        client.close()
      }
      for await _ in endings {}
    }
    withExtendedLifetime(release) {}
  }
}
