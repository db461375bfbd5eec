import AudioCore
import AudioThreads
import ClientDependencies
import Foundation
import SpeechClient
import SpeechEngine
import Testing
import Wyoming
import SpeechServer

@testable import WyomingEngine

/// Runs the server on sockets, with the Wyoming engine as its client.
@Suite struct ServerTests {
  private let socket = URL.temporaryDirectory.appending(path: "\(UUID().uuidString).sock").path

  private let engine = SpeechEngine(
    name: "test", availability: { .ready(SpeechModel(language: "en-US", location: "here")) },
    makeSession: { _ in throw SpeechEngineError.failed(reason: "unused") })

  /// Starts a server, waits until it listens, and runs `body` while the server runs.
  private func serving(
    on address: WyomingAddress = .tcp(host: "127.0.0.1", port: 0),
    with speech: SpeechClient = CountingSpeech().client,
    engine: SpeechEngine? = nil,
    clock: any Clock<Duration> = TestClock(),
    options change: (inout SpeechServerOptions) -> Void = { _ in },
    _ body: @escaping @Sendable (WyomingAddress) async throws -> Void
  ) async throws {
    var options = SpeechServerOptions()
    change(&options)
    let server = SpeechServer([.wyoming(address)], options: options)
    let (addresses, listening) = AsyncStream.makeStream(of: WyomingAddress.self)
    let serving = withDependencies {
      $0.speechClient = speech
      $0.speechEngine = engine ?? self.engine
      $0.continuousClock = clock
    } operation: {
      Task {
        defer { listening.finish() }
        try await server.run { if case .wyoming(let address) = $0 { listening.yield(address) } }
      }
    }
    defer { serving.cancel() }
    if let address = await addresses.first(where: { _ in true }) { try await body(address) }
    serving.cancel()
    do { try await serving.value } catch is CancellationError {}
  }

  /// Returns the engine's transcript of an utterance, recognized on a separate thread.
  private func transcribe(tenths: Int, at address: WyomingAddress) async throws -> String {
    try await onThread {
      let session = try SpeechEngine.wyoming(server: address)
        .makeSession(SpeechSessionOptions(language: "en-US"))
      try session.beginUtterance()
      for _ in 0..<tenths { try session.process([Float](repeating: 0.1, count: 1600)) }
      return try session.finishUtterance().words.map(\.text).joined(separator: " ")
    }
  }

  private func checkHearing(at address: WyomingAddress) async throws {
    let text = try await transcribe(tenths: 2, at: address)
    #expect(text == "3200 frames at 16000 in en-US")
  }

  @Test func `several clients at once each get the text of their own audio`() async throws {
    try await serving(options: { $0.maximumConnections = 20 }) { address in
      try await withThrowingTaskGroup(of: (Int, String).self) { group in
        for tenths in 1...8 {
          group.addTask { (tenths, try await transcribe(tenths: tenths, at: address)) }
        }
        for try await (tenths, text) in group {
          #expect(text == "\(tenths * 1600) frames at 16000 in en-US")
        }
      }
    }
  }

  @Test func `a Unix socket exists as long as the server runs`() async throws {
    // A socket file that a crashed server has left behind is replaced.
    try leaveSocket(at: socket)
    try await serving(on: .unix(path: socket)) { address in
      try await checkHearing(at: address)
      await #expect(throws: SpeechServerError.addressInUse("unix://\(socket)")) {
        try await serving(on: .unix(path: socket)) { _ in }
      }
      try await checkHearing(at: address)
    }
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test func `an existing file that is not a socket is not removed`() async throws {
    try Data("text".utf8).write(to: URL(filePath: socket))
    defer { try? FileManager.default.removeItem(atPath: socket) }
    await #expect(throws: SpeechServerError.addressInUse("unix://\(socket)")) {
      try await serving(on: .unix(path: socket)) { _ in }
    }
    #expect(try Data(contentsOf: URL(filePath: socket)) == Data("text".utf8))
  }

  @Test func `a port in use is an error`() async throws {
    try await serving { address in
      await #expect(throws: SpeechServerError.addressInUse("\(address)")) {
        try await serving(on: address) { _ in }
      }
    }
  }

  @Test(arguments: ["0.0.0.0", "::"])
  func `an address that other machines can reach needs permission`(host: String) async throws {
    let address = WyomingAddress.tcp(host: host, port: 0)
    await #expect(throws: SpeechServerError.remoteAddress("\(address)")) {
      try await serving(on: address) { _ in }
    }
    guard host == "0.0.0.0" else { return }
    try await serving(on: address, options: { $0.allowsRemoteClients = true }) { listening in
      guard case .tcp("0.0.0.0", let port) = listening else {
        Issue.record("\(listening)")
        return
      }
      try await checkHearing(at: .tcp(host: "127.0.0.1", port: port))
    }
  }

  @Test func `a host without an address is an error`() async throws {
    let error = await #expect(throws: SpeechServerError.self) {
      try await serving(on: .tcp(host: "x.invalid", port: 1)) { _ in }
    }
    #expect(error?.description.contains("the host x.invalid was not found") == true)
  }

  @Test
  func `a client over the limit waits for a place, and gets an error if none is free in time`()
    async throws
  {
    let clock = TestClock()
    try await serving(clock: clock, options: onePlace) { address in
      let (first, second, third) = (LinkBox(), LinkBox(), LinkBox())
      try await first.begin(at: address)
      try await onThread { try second.ask(at: address) }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(500))
      try await onThread {
        #expect(try second.exchange(nil, until: "error").data["code"] == "busy")
        try third.ask(at: address)
      }
      // The sleepers are the time limit for the error event and the wait of the third client.
      await clock.sleepers(atLeast: 2)
      try await onThread {
        first.close()
        try third.exchange(WyomingEvent("ping"), until: "pong")
      }
    }
  }

  /// Options for one place, and clients that may be idle for any time, so that no sleeper of a
  /// test's clock is the idle limit of a client.
  private let onePlace = { @Sendable (options: inout SpeechServerOptions) in
    (options.maximumConnections, options.idleTimeout) = (1, nil)
  }

  @Test func `clients without audio need no place, so they do not keep others from one`()
    async throws
  {
    try await serving(options: onePlace) { address in
      try await onThread {
        let idle = try (0..<30).map { _ in try connect(address) }
        let speaking = try beginAudio(at: address)
        for link in idle {
          #expect(try exchange(WyomingEvent("describe"), over: link, until: "info").type == "info")
          try exchange(WyomingEvent("ping"), over: link, until: "pong")
        }
        try exchange(WyomingEvent("audio-stop"), over: speaking, until: "transcript")
      }
    }
  }

  @Test func `the metrics count clients, refusals, recognitions, and audio`() async throws {
    let (metrics, clock, speech) = (PrometheusMetrics(), TestClock(), CountingSpeech())
    try await serving(
      with: speech.client, clock: clock,
      options: {
        onePlace(&$0)
        $0.metrics = metrics
      }
    ) { address in
      let (idle, first, second) = (LinkBox(), LinkBox(), LinkBox())
      try await onThread {
        idle.put(try connect(address))
        try idle.exchange(WyomingEvent("ping"), until: "pong")
      }
      #expect(metrics.text.contains("\nsyrinx_clients 0\n"))
      try await checkHearing(at: address)
      try await first.begin(at: address)
      #expect(metrics.text.contains("\nsyrinx_clients 1\n"))
      try await onThread { try second.ask(at: address) }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(500))
      try await onThread { _ = try second.exchange(nil, until: "error") }
      var begun = speech.tally.begun.stream.makeAsyncIterator()
      for _ in 0..<2 { await begun.next() }
    }
    let lines = metrics.text.split(separator: "\n")
    for line in [
      "syrinx_clients 0", "syrinx_wait_seconds_sum 0.5",
      "syrinx_refusals_total 1",
      #"syrinx_faults_total{code="busy"} 1"#, "syrinx_requests_total 2",
      "syrinx_utterances_total 1", "syrinx_audio_seconds_total 0.2",
      "syrinx_real_time_factor_count 1",
    ] { #expect(lines.contains(Substring(line)), "\(line)") }
  }

  @Test func `a client that leaves frees its place at once`() async throws {
    // The clock is never advanced, so a client that had to wait for a place would get no response.
    try await serving(options: { $0.maximumConnections = 4 }) { address in
      try await onThread {
        for _ in 0..<100 {
          let links = try (0..<4).map { _ in try beginAudio(at: address) }
          for link in links { link.close() }
        }
      }
    }
  }

  @Test func `connections are numbered and reported with the client's address`() async throws {
    let reports = Reports()
    try await serving(options: { $0.report = reports.options.report }) { address in
      try await onThread {
        for _ in 0..<2 {
          try exchange(WyomingEvent("ping"), over: try connect(address), until: "pong")
        }
      }
      for (index, report) in reports.all.enumerated() {
        guard case .connected(let client, .tcp("127.0.0.1", let port)) = report else {
          Issue.record("\(report)")
          continue
        }
        #expect(client == index + 1)
        #expect(.tcp(host: "127.0.0.1", port: port) != address)
      }
      #expect(reports.all.count == 2)
    }
  }

  @Test func `a client on a Unix socket is reported with the server's address`() async throws {
    let reports = Reports()
    try await serving(
      on: .unix(path: socket), options: { $0.report = reports.options.report }
    ) { address in
      try await checkHearing(at: address)
      #expect(reports.all.first == .connected(client: 1, from: address))
    }
  }

  @Test func `frames that arrive byte by byte get a response`() async throws {
    try await serving { address in
      try await onThread {
        let link = try connect(address)
        for byte in utterance(tenths: 0, language: "en").flatMap(\.bytes) {
          _ = try link.wait(toWrite: true, within: TimeBudget(.seconds(60)))
          #expect(try link.write([byte]) == 1)
        }
        let answer = try exchange(nil, over: link, until: "transcript")
        #expect(answer.data["text"] == "0 frames at 0 in en")
      }
    }
  }

  @Test func `a malformed frame ends only its connection`() async throws {
    try await serving { address in
      try await onThread {
        let good = try connect(address)
        try exchange(WyomingEvent("ping"), over: good, until: "pong")
        for frame in ["garbage\n", "{\"type\":\"x\",\"payload_length\":1073741824}\n"] {
          let bad = try connect(address)
          _ = try bad.write(Array(frame.utf8)[...])
          let error = try exchange(nil, over: bad, until: "error")
          #expect(error.data["code"] == "malformed")
          _ = try bad.wait(toWrite: false, within: TimeBudget(.seconds(60)))
          #expect(try bad.read() == [])
        }
        try exchange(WyomingEvent("ping"), over: good, until: "pong")
      }
    }
  }

  @Test
  func `a client that gets an error may still send, and then reads the end of the connection`()
    async throws
  {
    let clock = TestClock()
    try await serving(clock: clock, options: onePlace) { address in
      let (served, waiting) = (LinkBox(), LinkBox())
      try await served.begin(at: address)
      try await onThread { try waiting.ask(at: address) }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(500))
      try await onThread {
        let (first, refused) = (try served.take(), try waiting.take())
        #expect(try exchange(nil, over: refused, until: "error").data["code"] == "busy")
        _ = try first.write(Array("garbage\n".utf8)[...])
        #expect(try exchange(nil, over: first, until: "error").data["code"] == "malformed")
        for link in [refused, first] {
          // If the server had closed the socket, the first write would cause a reset, and the
          // second would fail.
          for _ in 0..<2 { #expect(try link.write(WyomingEvent("ping").bytes[...]) > 0) }
          _ = try link.wait(toWrite: false, within: TimeBudget(.seconds(60)))
          #expect(try link.read() == [])
        }
      }
    }
  }

  @Test func `many clients over the limit all get an error before they are disconnected`()
    async throws
  {
    let clock = TestClock()
    let options = { [onePlace] (options: inout SpeechServerOptions) in
      onePlace(&options)
      options.maximumConnectionsPerAddress = 100
    }
    try await serving(clock: clock, options: options) { address in
      let first = LinkBox()
      let many = (0..<64).map { _ in LinkBox() }
      try await first.begin(at: address)
      try await onThread { for link in many { try link.ask(at: address) } }
      await clock.sleepers(atLeast: 64)
      try await onThread { try checkRefusal(at: address) }
      await clock.advance(by: .milliseconds(500))
      try await onThread {
        for link in many {
          let refusal = try link.exchange(nil, until: "error")
          #expect(refusal.data["code"] == "busy")
        }
      }
    }
  }

  /// Sends audio, and checks that the client gets the error and then a normal end of the
  /// connection, not a reset.
  private func checkRefusal(at address: WyomingAddress) throws {
    let surplus = try connect(address)
    for event in utterance(tenths: 3) { _ = try surplus.write(event.bytes[...]) }
    #expect(try exchange(nil, over: surplus, until: "error").data["code"] == "busy")
    #expect(try surplus.write(WyomingEvent("ping").bytes[...]) > 0)
    _ = try surplus.wait(toWrite: false, within: TimeBudget(.seconds(60)))
    #expect(try surplus.read() == [])
  }

  @Test func `a client that sends audio takes the place of the idlest client`() async throws {
    let clock = TestClock()
    try await serving(clock: clock, options: { $0.maximumConnections = 2 }) { address in
      let (oldest, idle) = (LinkBox(), LinkBox())
      try await oldest.begin(at: address)
      await clock.advance(by: .seconds(1))
      try await idle.begin(at: address)
      await clock.advance(by: .milliseconds(500))
      try await checkHearing(at: address)
      try await onThread {
        #expect(try oldest.exchange(nil, until: "error").data["code"] == "idle")
        try idle.exchange(WyomingEvent("ping"), until: "pong")
      }
    }
  }

  @Test func `connections from one address are limited to the configured maximum`() async throws {
    try await serving(options: { $0.maximumConnectionsPerAddress = 1 }) { address in
      try await onThread {
        let first = try beginAudio(at: address)
        try checkRefusal(at: address)
        try exchange(WyomingEvent("ping"), over: first, until: "pong")
        first.close()
        // The system reports the end of the first connection with a delay, so try repeatedly.
        #expect((0..<100_000).contains { _ in (try? beginAudio(at: address)) != nil })
      }
    }
  }

  @Test func `a client that sends audio does not replace a client that has just sent audio`()
    async throws
  {
    let clock = TestClock()
    try await serving(clock: clock, options: onePlace) { address in
      let (first, second) = (LinkBox(), LinkBox())
      try await first.begin(at: address)
      await clock.advance(by: .seconds(2))
      try await onThread {
        try send(Array(utterance(tenths: 2).suffix(3)), over: first.take())
        try first.exchange(nil, until: "transcript")
      }
      await clock.advance(by: .milliseconds(400))
      try await onThread { try second.ask(at: address) }
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .milliseconds(500))
      try await onThread {
        #expect(try second.exchange(nil, until: "error").data["code"] == "busy")
        try first.exchange(WyomingEvent("ping"), until: "pong")
      }
    }
  }

  @Test func `if a client disconnects, the recognition of its utterance ends`()
    async throws
  {
    let speech = CountingSpeech()
    try await serving(with: speech.client) { address in
      try await onThread {
        let link = try connect(address)
        for event in utterance(tenths: 2).dropLast() { _ = try link.write(event.bytes[...]) }
        try exchange(WyomingEvent("ping"), over: link, until: "pong")
      }
      _ = await speech.tally.abandoned.stream.first { _ in true }
    }
  }

  @Test func `a client that closes its sending side still gets all responses`() async throws {
    try await serving { address in
      try await onThread {
        for _ in 0..<40 {
          let asking = try request(WyomingEvent("describe").bytes, at: address)
          #expect(try everything(from: asking).map(\.type) == ["info"])
          let speaking = try request(utterance(tenths: 3).flatMap(\.bytes), at: address)
          let transcripts = try everything(from: speaking).filter { $0.type == "transcript" }
          #expect(transcripts.map { $0.data["text"] } == ["4800 frames at 16000 in any"])
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a disconnected client frees its place while its audio is recognized`() async throws {
    let (endings, ending) = AsyncStream.makeStream(of: Void.self)
    let stuck = SpeechClient.scripted { _, buffers in
      for try await _ in buffers {}
      ending.yield()
      // Ends when the recognition is canceled.
      for await _ in AsyncStream<Never>.makeStream().stream {}
      return nil
    }
    try await serving(with: stuck, options: { $0.maximumConnections = 1 }) { address in
      let link = LinkBox()
      try await onThread {
        link.put(try connect(address))
        try send(utterance(tenths: 2), over: link.take())
      }
      _ = await endings.first { _ in true }
      try await onThread {
        link.close()
        _ = try beginAudio(at: address)
      }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `the server calls returnMemory some time after the last client with a place has left`()
    async throws
  {
    let (clock, link) = (TestClock(), LinkBox())
    let (isReturned, returned) = AsyncStream.makeStream(of: Void.self)
    var engine = engine
    engine.returnMemory = { returned.yield() }
    try await serving(engine: engine, clock: clock, options: { $0.idleTimeout = nil }) { address in
      try await link.begin(at: address)
      link.close()
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(20))
      #expect(await isReturned.first { _ in true } != nil)
    }
  }

  @Test func `a client without audio gets an error after the time limit`() async throws {
    try await serving(
      clock: ContinuousClock(), options: { $0.idleTimeout = .milliseconds(50) }
    ) { address in
      try await onThread {
        let error = try exchange(nil, over: try connect(address), until: "error")
        #expect(error.data["code"] == "idle")
      }
    }
  }

  @Test func `all connections are closed when the server ends`() async throws {
    let link = LinkBox()
    try await serving { address in
      try await onThread {
        let open = try connect(address)
        for event in utterance(tenths: 2).dropLast() { _ = try open.write(event.bytes[...]) }
        try exchange(WyomingEvent("ping"), over: open, until: "pong")
        link.put(open)
      }
    }
    try await onThread { try link.waitForEnd() }
  }
}
