import AudioCore
import ClientDependencies
import SpeechClient
import SpeechEngine
import Synchronization
import Testing
import Wyoming

@testable import SpeechServer

@Suite struct ConversationTests {
  /// A conversation in memory: the client's requests and the responses.
  struct Client: Sendable {
    let bytes: AsyncThrowingStream<[UInt8], any Error>.Continuation
    let events: AsyncStream<WyomingEvent>
    let conversation: Task<Void, Never>

    func send(_ events: [WyomingEvent]) { for event in events { bytes.yield(event.bytes) } }

    /// Returns all events up to the end of the conversation.
    func all() async -> [WyomingEvent] {
      var all: [WyomingEvent] = []
      for await event in events { all.append(event) }
      return all
    }

    /// Returns all events up to the first event of this type.
    func all(until type: String) async -> [WyomingEvent] {
      var all: [WyomingEvent] = []
      for await event in events {
        all.append(event)
        if event.type == type { break }
      }
      return all
    }

    func first(_ type: String) async -> WyomingEvent? { await events.first { $0.type == type } }
  }

  let engine = SpeechEngine(
    name: "test", availability: { .ready(SpeechModel(language: "en-US", location: "here")) },
    makeSession: { _ in throw SpeechEngineError.failed(reason: "unused") })

  func client(
    _ speech: SpeechClient, engine: SpeechEngine? = nil,
    clock: any Clock<Duration> = TestClock(),
    options: SpeechServerOptions = SpeechServerOptions(),
    taking take: @escaping @Sendable () async throws -> Void = {},
    closed: @escaping @Sendable () async -> Void = untilCancelled,
    leaving leave: @escaping @Sendable () async -> Void = {}
  ) -> Client {
    let (input, bytes) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    let (events, event) = AsyncStream.makeStream(of: WyomingEvent.self)
    let work = withDependencies {
      $0.speechClient = speech
      $0.speechEngine = engine ?? self.engine
      $0.continuousClock = clock
    } operation: {
      Task {
        let peer = Peer(
          send: {
            try await take()
            event.yield($0)
          }, closed: closed, leave: leave)
        await Conversation(
          client: 7, of: ClientTable(options), input: input, peer: peer, options: options
        ).run()
        event.finish()
      }
    }
    return Client(bytes: bytes, events: events, conversation: work)
  }

  @Test func `a client gets the server's models, a response to ping, and its transcripts`() async {
    let client = client(CountingSpeech().client)
    client.send([WyomingEvent("describe"), WyomingEvent("ping", ["text": "a"])])
    client.send(utterance(tenths: 3, language: "en") + utterance(tenths: 5))
    client.send([WyomingEvent("transcribe", ["transcript_terms": ["meters"]])])
    client.send([WyomingEvent("audio-stop")])
    client.bytes.finish()
    let events = await client.all()
    #expect(events.map(\.type).prefix(2) == ["info", "pong"])
    #expect(WyomingInfo(events[0].data).models == [.init(name: "test-en-US", languages: ["en-US"])])
    let program = events[0].data["asr"]?.array?.first?.object
    #expect(program?["version"] == .string(SyrinxVersion.current))
    let page: JSONValue = ["name": "Syrinx", "url": "https://example.com/syrinx"]
    #expect(program?["attribution"] == page)
    #expect(
      events.filter { $0.type == "transcript" }.map { $0.data["text"] }
        == [
          "4800 frames at 16000 in en", "8000 frames at 16000 in any", "0 frames at 0 in meters",
        ])
    #expect(events.filter { $0.type == "transcript-chunk" }.count == 3)
    #expect(events.last?.type == "transcript-stop")
  }

  @Test(arguments: ["moonshine", "pocketsphinx", "vosk", "wyoming"])
  func `the attribution of an engine's models links to the engine's page`(name: String) async {
    let engine = SpeechEngine(
      name: name, availability: { .ready(SpeechModel(language: "en-US", location: "here")) },
      makeSession: { _ in throw SpeechEngineError.failed(reason: "unused") })
    let client = client(CountingSpeech().client, engine: engine)
    client.send([WyomingEvent("describe")])
    client.bytes.finish()
    let program = await client.first("info")?.data["asr"]?.array?.first?.object
    let attribution = program?["models"]?.array?.first?.object?["attribution"]?.object
    #expect(attribution?["name"] == .string(name))
    #expect(attribution?["url"]?.string?.hasPrefix("https://") == true)
  }

  @Test func `stable words are reported while the client still speaks`() async {
    let (takes, taken) = AsyncStream.makeStream(of: Void.self)
    let client = client(
      .scripted { pull, buffers in
        switch pull {
        case 1:
          _ = try await buffers.first { _ in true }
          return .partial("go forward ten", stable: 2)
        case 2:
          // A request for the second result means that the first result has been sent.
          taken.yield()
          for try await _ in buffers {}
          return .final("go forward ten")
        default: return nil
        }
      })
    let frames = utterance(tenths: 2)
    client.send(frames.dropLast())
    _ = await takes.first { _ in true }
    client.send([WyomingEvent("ping")])
    let early = await client.all(until: "pong")
    #expect(early.map(\.type) == ["voice-started", "transcript-start", "transcript-chunk", "pong"])
    #expect(
      early.filter { $0.type == "transcript-chunk" }.map { $0.data["text"] } == ["go forward"])
    client.send(frames.suffix(1))
    client.bytes.finish()
    let rest = await client.all()
    #expect(
      rest.map(\.type)
        == ["transcript-chunk", "voice-stopped", "transcript", "transcript-stop"])
    #expect(rest.prefix(1).map { $0.data["text"] } == [" ten"])
  }

  @Test(arguments: [
    "garbage\n", "{\"type\":\"ping\",\"data_length\":-4}\n", "{\"type\":null}\n",
    "{\"type\":\"ping\",\"payload_length\":1073741824}\n",
    "{\"type\":\"ping\",\"data_length\":\"1\"}\n",
    "{\"type\":\"ping\",\"data_length\":262145}\n", "{\"type\":\"ping\",\"data_length\":2}\n[]",
    String(repeating: "x", count: 70_000),
  ]) func `a malformed frame gets an error and ends the connection`(frame: String) async {
    let client = client(CountingSpeech().client)
    client.send([WyomingEvent("ping")] + utterance(tenths: 2).dropLast())
    client.bytes.yield(Array(frame.utf8))
    let events = await client.all()
    #expect(events.map(\.type) == ["pong", "error"])
    #expect(events.last?.data["code"] == "malformed")
  }

  @Test(.timeLimit(.minutes(1)))
  func `deeply nested data is refused at once, and data up to the limit is read`() async {
    let client = client(CountingSpeech().client)
    let numbers = JSONValue.array((0..<30_000).map(JSONValue.integer))
    client.send([WyomingEvent("ping", ["numbers": numbers, "text": "x"])])
    let numbersAsText = String(repeating: "1,", count: 100_000) + "1"
    let opening = String(repeating: "[", count: 200)
    let closing = String(repeating: "]", count: 200)
    let deep = "{\"text\":\(opening)\(numbersAsText)\(closing)}"
    client.bytes.yield(
      Array("{\"type\":\"ping\",\"data_length\":\(deep.utf8.count)}\n\(deep)".utf8))
    let events = await client.all()
    #expect(events.map(\.type) == ["pong", "error"])
    #expect(events.first?.data == ["text": "x"])
    #expect(events.last?.data["code"] == "malformed")
  }

  @Test func `input that ends within a frame, after any byte, is reported as malformed`() async {
    let frame = WyomingEvent("ping", ["text": "a"], payload: [1, 2]).bytes
    for end in 1..<frame.count {
      let client = client(CountingSpeech().client)
      client.bytes.yield(Array(frame[..<end]))
      client.bytes.finish()
      #expect(await client.all().map { $0.data["code"] } == ["malformed"])
    }
  }

  @Test func `if a client disconnects within an utterance, its recognition ends`() async {
    let speech = CountingSpeech()
    let client = client(speech.client)
    client.send(utterance(tenths: 3).dropLast())
    _ = await speech.tally.begun.stream.first { _ in true }
    client.bytes.finish()
    #expect(await client.all().isEmpty)
    _ = await speech.tally.abandoned.stream.first { _ in true }
  }

  @Test func `a client's request is for live audio unless the server's options change it`() async {
    for isLive in [true, false] {
      var options = SpeechServerOptions()
      if !isLive {
        options.prepare = { request in
          var request = request; request.isLive = false; return request
        }
      }
      let (requests, request) = AsyncStream.makeStream(of: SpeechRequest.self)
      var speech = SpeechClient()
      speech.recognition = {
        request.yield($0)
        return .finished()
      }
      let client = client(speech, options: options)
      client.send(utterance(tenths: 3))
      client.bytes.finish()
      _ = await client.all()
      #expect(await requests.first { _ in true }?.isLive == isLive)
    }
  }

  @Test func `a failed recognition is reported and ends the connection`() async {
    var speech = CountingSpeech().client
    speech.recognition = { _ in
      .finished(throwing: SpeechClientError.unavailable(reason: "no German"))
    }
    for events in [utterance(tenths: 3), utterance(tenths: 3).dropLast()] {
      let client = client(speech)
      client.send(events)
      let answer = await client.all()
      #expect(answer.map(\.type) == ["error"])
      #expect(answer.first?.data["code"] == "unavailable")
      #expect(answer.first?.data["text"]?.string?.contains("no German") == true)
    }
  }

  @Test func `lost audio is reported to the server's owner, and the rest is transcribed`() async {
    var speech = SpeechClient()
    let reason = SpeechRecognitionEvent.DropReason.engineFailed(.engineFailed(reason: "crash"))
    speech.recognition = { _ in
      AsyncThrowingStream { continuation in
        continuation.yield(.dropped(.seconds(1) ..< .seconds(2), reason: reason))
        continuation.yield(.result(.final("go")))
        continuation.finish()
      }
    }
    let reports = Reports()
    let client = client(speech, options: reports.options)
    client.send(utterance(tenths: 3))
    client.bytes.finish()
    let events = await client.all()
    #expect(events.first { $0.type == "transcript" }?.data["text"] == "go")
    #expect(
      reports.all == [
        .dropped(client: 7, .seconds(1) ..< .seconds(2), reason: reason),
        .recognized(client: 7, audio: .milliseconds(300), elapsed: .zero),
      ])
  }

  @Test func `a client whose only utterance is unintelligible gets an empty transcript`() async {
    var speech = SpeechClient()
    speech.recognition = { _ in
      AsyncThrowingStream { continuation in
        continuation.yield(.speechStarted(at: .seconds(1)))
        continuation.yield(.result(.partial("go on", stable: 1)))
        continuation.yield(.dropped(.seconds(1) ..< .seconds(2), reason: .unintelligible))
        continuation.yield(.speechEnded(at: .seconds(2)))
        continuation.finish()
      }
    }
    let (reports, metrics) = (Reports(), PrometheusMetrics())
    var options = reports.options
    options.meters = ServerMetrics(metrics)
    let client = client(speech, options: options)
    client.send(utterance(tenths: 3))
    client.bytes.finish()
    let events = await client.all()
    #expect(
      events.map(\.type) == [
        "voice-started", "transcript-start", "transcript-chunk", "voice-stopped", "transcript",
        "transcript-stop",
      ])
    #expect(events.first { $0.type == "transcript" }?.data["text"] == "")
    #expect(
      reports.all.first
        == .dropped(client: 7, .seconds(1) ..< .seconds(2), reason: .unintelligible))
    let line = #"syrinx_dropped_audio_seconds_total{reason="unintelligible"} 1"#
    #expect(metrics.text.contains(line))
  }

  @Test
  func `each transcript is reported with the length of its audio and the time since its start`()
    async
  {
    let clock = TestClock()
    let speech = SpeechClient.scripted { pull, buffers in
      for try await _ in buffers {}
      guard pull == 1 else { return nil }
      await clock.advance(by: .milliseconds(250))
      return .final("go")
    }
    let reports = Reports()
    let client = client(speech, clock: clock, options: reports.options)
    client.send(utterance(tenths: 3) + utterance(tenths: 5))
    client.bytes.finish()
    _ = await client.all()
    #expect(
      reports.all == [
        .recognized(client: 7, audio: .milliseconds(300), elapsed: .milliseconds(250)),
        .recognized(client: 7, audio: .milliseconds(500), elapsed: .milliseconds(250)),
      ])
  }

  @Test func `a fault is reported with the code and the reason of the client's error event`() async
  {
    let reports = Reports()
    let client = client(CountingSpeech().client, options: reports.options)
    client.send([WyomingEvent("audio-start", ["rate": 1, "width": 2, "channels": 1])])
    let error = await client.all().last
    let reason = error?.data["text"]?.string ?? ""
    #expect(reason.contains("rate"))
    #expect(reports.all == [.failed(client: 7, code: "audio-format", reason: reason)])
  }
}

/// Waits until the caller is canceled.
@Sendable func untilCancelled() async {
  for await _ in AsyncStream<Never>.makeStream().stream {}
}

/// The reports of a server.
final class Reports: Sendable {
  private let list = Mutex<[SpeechServerReport]>([])

  var all: [SpeechServerReport] { list.withLock { $0 } }

  var options: SpeechServerOptions {
    var options = SpeechServerOptions()
    options.report = { [self] report in list.withLock { $0.append(report) } }
    return options
  }
}
