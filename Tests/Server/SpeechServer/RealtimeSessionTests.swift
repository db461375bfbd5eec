import AudioCore
import ClientDependencies
import Foundation
import SpeechClient
import TestTools
import Testing
import Wyoming

@testable import SpeechServer

@Suite struct RealtimeSessionTests {
  /// A session, and the events that it has sent.
  private struct Run {
    var session: RealtimeSession
    var sent: [JSONValue] = []
    /// The number of the running recognition.
    var recognition: Int?

    init(partials: Bool = false) {
      session = RealtimeSession(
        id: "x", configuration: RealtimeConfiguration(model: "m", partials: partials))
    }

    /// The types of the sent events, without the common beginnings.
    var types: [String] {
      sent.compactMap { event in
        event["type"]?.string.map { $0.split(separator: ".").suffix(1).joined() }
      }
    }

    @discardableResult
    mutating func perform(_ actions: [RealtimeSession.Action]) -> [RealtimeSession.Action] {
      for action in actions {
        switch action {
        case .send(let event): sent.append(event)
        case .begin(let number, _): recognition = number
        case .abandon: recognition = nil
        case .add, .finish: break
        }
      }
      return actions
    }

    /// Sends an event of the client, and returns the actions other than events.
    @discardableResult
    mutating func send(_ event: JSONValue) -> [RealtimeSession.Action] {
      perform(session.process(event.text)).filter { if case .send = $0 { false } else { true } }
    }

    @discardableResult
    mutating func update(_ session: JSONValue) -> JSONValue? {
      send(["type": "session.update", "event_id": "mine", "session": session])
      return sent.last
    }

    /// Appends tenths of a second of silence at 24 kHz.
    mutating func append(tenths: Int = 1) {
      let audio = Data(repeating: 0, count: tenths * 4_800).base64EncodedString()
      send(["type": "input_audio_buffer.append", "audio": .string(audio)])
    }

    mutating func commit() { send(["type": "input_audio_buffer.commit"]) }

    mutating func recognize(_ events: SpeechRecognitionEvent...) {
      for event in events { perform(session.process(event, of: recognition ?? 0)) }
    }

    mutating func end(throwing error: (any Error)? = nil) {
      perform(session.end(recognition ?? 0, throwing: error))
      recognition = nil
    }

    /// The values of a field in the events of a type.
    func all(_ type: String, _ field: String) -> [JSONValue?] {
      sent.filter { $0["type"]?.string?.hasSuffix(type) == true }.map { $0[field] }
    }
  }

  private let manual: JSONValue = ["audio": ["input": ["turn_detection": .null]]]

  // MARK: Settings

  @Test func `a new session has the format, the detector, and the model of the client`() throws {
    var run = Run()
    run.perform([run.session.start()])
    let event = try #require(run.sent.first)
    #expect(event["type"] == "session.created")
    #expect(event["event_id"] == "event_x_1")
    let session = try #require(event["session"])
    #expect(session["id"] == "sess_x")
    #expect(session["object"] == "realtime.transcription_session")
    #expect(session["type"] == "transcription")
    #expect(
      session["audio"]
        == [
          "input": [
            "format": ["type": "audio/pcm", "rate": 24_000], "transcription": ["model": "m"],
            "noise_reduction": .null,
            "turn_detection": [
              "type": "server_vad", "threshold": .number(0.5), "prefix_padding_ms": 300,
              "silence_duration_ms": 500,
            ],
          ]
        ])
  }

  @Test func `an update changes only the fields in it, and null clears a field`() {
    var run = Run()
    run.update([
      "type": "transcription",
      "audio": [
        "input": [
          "transcription": ["language": "de", "keywords": ["Ann"]],
          "turn_detection": ["type": "server_vad", "silence_duration_ms": 700],
          "noise_reduction": ["type": "near_field"],
        ]
      ], "include": ["item.input_audio_transcription.logprobs"], "unknown": ["x": 1],
    ])
    let input = run.sent.last?["session"]?["audio"]?["input"]
    #expect(input?["transcription"] == ["model": "m", "language": "de", "keywords": ["Ann"]])
    #expect(input?["turn_detection"]?["silence_duration_ms"] == 700)
    #expect(input?["turn_detection"]?["prefix_padding_ms"] == 300)
    #expect(input?["noise_reduction"] == ["type": "near_field"])
    #expect(run.sent.last?["session"]?["unknown"] == nil)
    run.update([
      "audio": [
        "input": [
          "transcription": ["language": .null], "turn_detection": .null, "noise_reduction": .null,
        ]
      ]
    ])
    let cleared = run.sent.last?["session"]?["audio"]?["input"]
    #expect(cleared?["transcription"] == ["model": "m", "keywords": ["Ann"]])
    #expect(cleared?["turn_detection"] == .null)
    #expect(cleared?["noise_reduction"] == .null)
    #expect(run.types == ["updated", "updated"])
  }

  @Test(
    arguments: [
      (["type": "realtime"], "session.type"),
      (["audio": ["input": ["format": ["type": "audio/mp3"]]]], "session.audio.input.format.type"),
      (["audio": ["input": ["format": ["rate": 7_999]]]], "session.audio.input.format.rate"),
      (["audio": ["input": ["format": ["rate": "x"]]]], "session.audio.input.format.rate"),
      (
        ["audio": ["input": ["format": ["type": "audio/pcmu", "rate": 16_000]]]],
        "session.audio.input.format.rate"
      ),
      (["audio": .null], "session.audio"), (["audio": ["input": 7]], "session.audio.input"),
      (
        ["audio": ["input": ["turn_detection": ["threshold": .number(1.5)]]]],
        "session.audio.input.turn_detection.threshold"
      ),
      (
        ["audio": ["input": ["turn_detection": ["silence_duration_ms": -1]]]],
        "session.audio.input.turn_detection.silence_duration_ms"
      ),
      (
        ["audio": ["input": ["turn_detection": ["prefix_padding_ms": true]]]],
        "session.audio.input.turn_detection.prefix_padding_ms"
      ),
      (
        ["audio": ["input": ["turn_detection": ["type": "loud"]]]],
        "session.audio.input.turn_detection.type"
      ),
      (
        ["audio": ["input": ["transcription": ["keywords": [1]]]]],
        "session.audio.input.transcription.keywords"
      ),
      (
        ["audio": ["input": ["transcription": ["language": "\0../../x"]]]],
        "session.audio.input.transcription.language"
      ),
      (
        ["audio": ["input": ["transcription": ["languages": ["de", "german please"]]]]],
        "session.audio.input.transcription.languages"
      ),
      (
        [
          "audio": [
            "input": [
              "transcription": ["keywords": [.string(String(repeating: "x", count: 201))]]
            ]
          ]
        ], "session.audio.input.transcription.keywords"
      ),
      (
        [
          "audio": [
            "input": ["transcription": ["model": .string(String(repeating: "x", count: 65_536))]]
          ]
        ], "session"
      ), (["include": ["everything"]], "session.include"), ("none", "session"), (.null, "session"),
    ] as [(JSONValue, String)])
  func `an update with a wrong value names the field and changes nothing`(
    update: JSONValue, field: String
  ) {
    var run = Run()
    let before = run.session.configuration
    let error = run.update(update)?["error"]
    #expect(error?["param"]?.string?.hasPrefix(field) == true)
    #expect(error?["type"] == "invalid_request_error")
    #expect(error?["event_id"] == "mine")
    #expect(run.session.configuration == before)
  }

  @Test func `the settings become those of the request`() {
    var run = Run()
    run.update([
      "audio": [
        "input": [
          "transcription": [
            "languages": ["fr"], "prompt": "Ann  Lee, ,Bob\nten", "keywords": ["x y"],
          ], "turn_detection": ["prefix_padding_ms": 100, "silence_duration_ms": 800],
        ]
      ], "syrinx": ["words": true],
    ])
    var request = SpeechRequest(buffers: AsyncThrowingStream<AudioBuffer, any Error>.finished())
    run.session.configuration.apply(to: &request)
    #expect(request.locale == "fr")
    #expect(request.contextualPhrases == ["x y", "Ann Lee", "Bob", "ten"])
    #expect(request.endpointPolicy.preRoll == .milliseconds(100))
    #expect(request.endpointPolicy.silence == .milliseconds(800))
    #expect(request.measuresWordTimes)
    for (eagerness, silence) in [("low", 2_000), ("high", 500), ("auto", 1_000)] {
      run.update([
        "audio": [
          "input": [
            "turn_detection": ["type": "semantic_vad", "eagerness": .string(eagerness)],
            "transcription": ["languages": ["fr", "de"]],
          ]
        ]
      ])
      run.session.configuration.apply(to: &request)
      #expect(request.endpointPolicy.silence == .milliseconds(silence))
      #expect(request.locale == SpokenLanguage.detected)
    }
  }

  // MARK: Audio

  @Test func `an event that is no JSON object, or has no known type, is an error with its id`() {
    var run = Run()
    for text in ["", "{", "7", "[]", "{\"type\":7}", "{}"] {
      run.perform(run.session.process(text.utf8))
    }
    run.send(["type": "response.create", "event_id": "e"])
    #expect(run.types == [String](repeating: "error", count: 7))
    #expect(run.sent.last?["error"]?["event_id"] == "e")
    #expect(run.sent.last?["error"]?["param"] == "type")
    #expect(run.sent.first?["error"]?["code"] == "invalid_json")
  }

  @Test func `audio that is no base64, or has an odd number of bytes, is an error`() {
    var run = Run()
    for audio in ["AAA", "A===", "ÄÄÄÄ", "AAAA", "AAAAAA", "AA_A", "\n"] as [JSONValue] {
      #expect(run.send(["type": "input_audio_buffer.append", "audio": audio]).isEmpty)
    }
    #expect(run.send(["type": "input_audio_buffer.append"]).isEmpty)
    #expect(run.types == [String](repeating: "error", count: 8))
    #expect(run.all("error", "error").allSatisfy { $0?["param"] == "audio" })
    #expect(run.send(["type": "input_audio_buffer.append", "audio": ""]).isEmpty)
    #expect(run.sent.count == 8)
  }

  @Test func `audio cut at any byte is an error or is complete samples`() {
    let samples = (0..<60).map { UInt8($0) }
    let text = Data(samples).base64EncodedString()
    for cut in 0...text.count {
      var run = Run()
      var bytes = 0
      for piece in [text.prefix(cut), text.dropFirst(cut)] {
        let event: JSONValue = [
          "type": "input_audio_buffer.append", "audio": .string(String(piece)),
        ]
        for case .add(let buffer) in run.send(event) { bytes += 2 * buffer.frameCount.rawValue }
      }
      #expect(run.sent.isEmpty == (cut % 8 == 0))
      if run.sent.isEmpty { #expect(bytes == 60) }
    }
  }

  @Test(
    arguments: [
      ("audio/pcmu", [0x00, 0x7F, 0x80, 0xFF, 0xF0], [-32_124, 0, 32_124, 0, 120]),
      ("audio/pcma", [0x55, 0xD5, 0x2A, 0xAA, 0x85], [-8, 8, -32_256, 32_256, 4_224]),
    ])
  func `telephone audio is decoded as G.711 defines it`(
    format: String, bytes: [UInt8], samples: [Int]
  ) {
    var run = Run()
    run.update(["audio": ["input": ["format": ["type": .string(format)]]]])
    let actions = run.send([
      "type": "input_audio_buffer.append", "audio": .string(Data(bytes).base64EncodedString()),
    ])
    guard case .add(let buffer)? = actions.last else {
      Issue.record("no audio")
      return
    }
    #expect(buffer.format.sampleRate.hertz == 8_000)
    #expect(buffer.samples.map { Int($0 * 32_768) } == samples)
  }

  @Test func `the format cannot change while the buffer has audio`() {
    var run = Run()
    let change: JSONValue = ["audio": ["input": ["format": ["rate": 16_000]]]]
    run.append()
    #expect(run.update(change)?["error"]?["param"] == "session.audio.input.format")
    run.send(["type": "input_audio_buffer.clear"])
    #expect(run.update(change)?["type"] == "session.updated")
    #expect(run.session.configuration.rate == 16_000)
  }

  // MARK: Turn detection

  @Test func `an utterance is an item that begins, grows, is committed, and is completed`() {
    var run = Run()
    run.update(["syrinx": ["words": true], "include": ["item.input_audio_transcription.logprobs"]])
    run.append(tenths: 30)
    run.recognize(
      .speechStarted(at: .milliseconds(200)), .result(.partial("one")),
      .result(.partial("one two three", stable: 2)),
      .result(.final("one two three")), .speechEnded(at: .milliseconds(2_000)))
    #expect(
      run.types == [
        "updated", "speech_started", "delta", "delta", "speech_stopped", "committed", "added",
        "completed", "done",
      ])
    #expect(run.all("speech_started", "audio_start_ms") == [200])
    #expect(run.all("speech_stopped", "audio_end_ms") == [2_000])
    #expect(run.all("delta", "delta") == ["one two", " three"])
    #expect(run.all("completed", "transcript") == ["one two three"])
    #expect(
      run.all("completed", "usage") == [["type": "duration", "seconds": .number(1.8)]])
    let words = run.all("completed", "syrinx").first??["words"]?.array
    #expect(words?[1] == ["word": "two", "start": .number(0.5), "end": .number(1)])
    #expect(run.all("completed", "logprobs") == [[]])
    let ids = run.sent.dropFirst().map { $0["item_id"] ?? $0["item"]?["id"] }
    #expect(ids == [JSONValue?](repeating: "item_x_1", count: 8))
    #expect(
      run.all("done", "item").first??["content"]
        == [["type": "input_audio", "transcript": "one two three"]])
  }

  @Test func `items refer to the previous item, and their times continue after a commit`() {
    var run = Run()
    for _ in 0..<2 {
      run.append(tenths: 10)
      run.recognize(
        .speechStarted(at: .milliseconds(100)), .result(.final("one")),
        .speechEnded(at: .milliseconds(600)))
      run.commit()
      run.end()
    }
    #expect(
      run.all("committed", "previous_item_id")
        == [.null, "item_x_1", "item_x_2", "item_x_3"])
    #expect(run.all("speech_started", "audio_start_ms") == [100, 1_100])
    // The audio after the utterance is an item, because the client committed it.
    #expect(run.all("completed", "transcript") == ["one", "", "one", ""])
  }

  @Test func `a commit ends the utterance so far, and only audio that is there can be committed`() {
    var run = Run()
    run.commit()
    #expect(run.sent.last?["error"]?["code"] == "input_audio_buffer_commit_empty")
    run.append()
    run.recognize(.speechStarted(at: .zero))
    #expect(run.send(["type": "input_audio_buffer.commit"]) == [.finish])
    run.recognize(.result(.final("one")), .speechEnded(at: .milliseconds(100)))
    run.end()
    #expect(run.all("completed", "transcript") == ["one"])
    run.commit()
    #expect(run.types.last == "error")
  }

  @Test func `noise is completed without a text, unless its words were sent`() {
    var run = Run()
    run.append(tenths: 20)
    let noise = SpeechRecognitionEvent.dropped(
      .zero..<(.milliseconds(500)), reason: .unintelligible)
    run.recognize(.speechStarted(at: .zero), noise, .speechEnded(at: .milliseconds(500)))
    #expect(run.all("completed", "transcript") == [""])
    run.recognize(
      .speechStarted(at: .seconds(1)), .result(.partial("a b", stable: 1)), noise,
      .speechEnded(at: .milliseconds(1_500)))
    #expect(run.all("failed", "error").first??["code"] == "unintelligible")
    #expect(run.all("done", "item").last??["status"] == "incomplete")
  }

  @Test func `a loss outside an item is an error`() {
    var run = Run()
    run.append(tenths: 20)
    run.recognize(.dropped(.zero..<(.seconds(1)), reason: .engineTooSlow))
    #expect(run.types == ["error"])
    run.recognize(.dropped(.zero..<(.seconds(1)), reason: .unintelligible))
    #expect(run.types == ["error"])
  }

  @Test func `a failed utterance ends in failed, and a failed recognition is an error`() {
    var run = Run()
    run.append(tenths: 20)
    run.recognize(
      .speechStarted(at: .zero),
      .dropped(
        .zero..<(.milliseconds(500)), reason: .engineFailed(.engineFailed(reason: "broken"))),
      .speechEnded(at: .milliseconds(500)))
    #expect(run.all("failed", "error").first??["code"] == "engine")
    run.recognize(.speechStarted(at: .seconds(1)))
    run.end(throwing: SpeechClientError.unavailable(reason: "no model"))
    #expect(run.all("failed", "error").last??["code"] == "unavailable")
    run.append()
    run.end(throwing: SpeechClientError.unavailable(reason: "no model"))
    #expect(run.sent.last?["error"]?["code"] == "unavailable")
    #expect(run.sent.last?["error"]?["type"] == "server_error")
  }

  @Test func `cleared audio ends its item, and later events of its recognition are ignored`() {
    var run = Run()
    run.append()
    let old = run.recognition ?? 0
    run.recognize(.speechStarted(at: .zero))
    #expect(run.send(["type": "input_audio_buffer.clear"]) == [.abandon])
    #expect(run.types == ["speech_started", "failed", "cleared"])
    run.append()
    #expect(run.session.process(.result(.final("late")), of: old).isEmpty)
    #expect(run.session.end(old).isEmpty)
  }

  @Test func `changed settings end the recognition, so that the next one has them`() {
    var run = Run()
    run.append()
    let update: JSONValue = ["audio": ["input": ["transcription": ["language": "de"]]]]
    let event: JSONValue = ["type": "session.update", "session": update]
    #expect(run.send(event) == [.finish])
    run.end()
    #expect(run.send(event).isEmpty)
    let append: JSONValue = ["type": "input_audio_buffer.append", "audio": "AAA="]
    guard case .begin(2, let configuration)? = run.send(append).first else {
      Issue.record("no second recognition")
      return
    }
    #expect(configuration.audio.input.transcription?.language == "de")
  }

  // MARK: Manual commits

  @Test func `without turn detection, the audio of a commit is one item`() {
    var run = Run(partials: true)
    run.update(manual)
    run.append(tenths: 40)
    run.recognize(
      .speechStarted(at: .zero), .result(.partial("one two", stable: 1)),
      .result(.final("one two")), .speechEnded(at: .seconds(1)), .speechStarted(at: .seconds(2)),
      .result(.partial("three", utterance: 1)))
    #expect(run.all("partial", "stable") == ["one", "one two", "one two"])
    #expect(run.all("partial", "volatile") == ["two", "", "three"])
    #expect(run.send(["type": "input_audio_buffer.commit"]) == [.finish])
    #expect(run.types.suffix(2) == ["committed", "added"])
    run.recognize(.result(.final("three", utterance: 1)), .speechEnded(at: .seconds(3)))
    run.end()
    #expect(run.all("delta", "delta") == ["one", " two", " three"])
    #expect(run.all("completed", "transcript") == ["one two three"])
    #expect(run.all("completed", "usage") == [["type": "duration", "seconds": .number(4)]])
    #expect(!run.types.contains("speech_started"))
  }

  @Test func `a lost utterance between two commits is an error beside the other words`() {
    var run = Run()
    run.update(manual)
    run.append(tenths: 20)
    run.recognize(
      .result(.final("one")),
      .dropped(.zero..<(.seconds(1)), reason: .engineFailed(.engineFailed(reason: "broken"))))
    run.commit()
    run.end()
    #expect(run.types.suffix(4) == ["added", "error", "completed", "done"])
    #expect(run.all("completed", "transcript") == ["one"])
  }

  // MARK: Any events

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `whatever the client sends, each item ends once, with a text that begins with its deltas`(
    seed: UInt64
  ) {
    var random = SeededNumbers(seed: seed)
    var run = Run(partials: seed % 3 == 0)
    var utterance = 0
    var (isSpeaking, hasResult) = (false, false)
    for _ in 0..<120 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1, 2: run.append(tenths: Int.random(in: 0...3, using: &random))
      case 3:
        if run.send(["type": "input_audio_buffer.commit"]) == [.finish] {
          if isSpeaking {
            run.recognize(.result(.final("a b c", utterance: utterance)))
            run.recognize(.speechEnded(at: .seconds(1)))
          }
          run.end()
          (isSpeaking, utterance) = (false, 0)
        }
      case 4 where Int.random(in: 0..<4, using: &random) == 0:
        run.send(["type": "input_audio_buffer.clear"])
        (isSpeaking, utterance) = (false, 0)
      case 5 where run.recognition == nil: run.update(manual)
      case 6 where run.recognition == nil:
        run.update(["audio": ["input": ["turn_detection": ["type": "server_vad"]]]])
      case 7 where run.recognition != nil && !isSpeaking:
        (isSpeaking, hasResult) = (true, false)
        run.recognize(.speechStarted(at: .zero))
      case 8 where isSpeaking:
        hasResult = true
        let stable = Int.random(in: 0...2, using: &random)
        run.recognize(.result(.partial("a b", stable: stable, utterance: utterance)))
      case 9 where isSpeaking:
        run.recognize(
          .result(.final("a b c", utterance: utterance)), .speechEnded(at: .seconds(1)))
        (isSpeaking, utterance) = (false, utterance + 1)
      case 10 where isSpeaking && !hasResult:
        run.recognize(
          .dropped(.zero..<(.seconds(1)), reason: .unintelligible), .speechEnded(at: .seconds(1)))
        (isSpeaking, utterance) = (false, utterance + 1)
      case 11:
        let bytes = (0..<20).map { _ in UInt8.random(in: 32...126, using: &random) }
        run.perform(run.session.process(bytes))
      default: break
      }
    }
    if isSpeaking { run.recognize(.result(.final("a b c", utterance: utterance))) }
    if run.recognition != nil { run.end() }
    var ids: [String: (deltas: String, ends: Int)] = [:]
    for event in run.sent {
      guard let id = event["item_id"]?.string, let type = event["type"]?.string else { continue }
      var item = ids[id] ?? ("", 0)
      #expect(item.ends == 0)
      if type.hasSuffix("delta") { item.deltas += event["delta"]?.string ?? "" }
      if type.hasSuffix("failed") { item.ends += 1 }
      if type.hasSuffix("completed") {
        item.ends += 1
        #expect(event["transcript"]?.string?.hasPrefix(item.deltas) == true)
      }
      ids[id] = item
    }
    #expect(ids.values.allSatisfy { $0.ends == 1 })
    let numbers = run.sent.indices.map { JSONValue.string("event_x_\($0 + 1)") }
    #expect(run.sent.map { $0["event_id"] } == numbers)
  }
}
