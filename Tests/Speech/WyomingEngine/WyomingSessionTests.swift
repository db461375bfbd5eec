import AudioCore
import AudioThreads
import SpeechEngine
import Synchronization
import Testing
import Wyoming

@testable import WyomingEngine

@Suite(.timeLimit(.minutes(5))) struct WyomingSessionTests {
  @Test func `an utterance is sent as a request, 16-bit audio, and the end of the audio`() throws {
    let received = Mutex<[WyomingEvent]>([])
    let server = try ScriptedServer { side in
      side.describing { first in
        let events = [first] + side.read(until: "audio-stop")
        received.withLock { $0 = events }
        side.write(WyomingEvent("transcript", ["text": "ten  meters "]))
      }
    }
    var options = SpeechSessionOptions(language: "en-US")
    options.contextualPhrases = ["ten meters"]
    options.engineOptions = ["model": "m"]
    let session = try SpeechEngine.patient(server.address).makeSession(options)
    #expect(try session.recognize(tenths: 2).words.map(\.text) == ["ten", "meters"])
    let events = received.withLock { $0 }
    #expect(
      events.first
        == WyomingEvent(
          "transcribe", ["language": "en", "name": "m", "transcript_terms": ["ten meters"]]))
    #expect(
      events.map(\.type)
        == ["transcribe", "audio-start", "audio-chunk", "audio-chunk", "audio-stop"])
    #expect(events[2].payload == sixteenBitPayload([Float](repeating: 0.1, count: 1600)))
    #expect(events[2].data == ["rate": 16_000, "width": 2, "channels": 1])
  }

  @Test func `availability, preparation, and consecutive utterances use one connection`() throws {
    let count = Mutex(0)
    let server = try ScriptedServer { side in
      count.withLock { $0 += 1 }
      side.transcribe(as: "ten meters")
    }
    let engine = SpeechEngine.patient(server.address)
    #expect(
      engine.availability()
        == .ready(SpeechModel(language: "en", location: server.address.description)))
    #expect(engine.models().map(\.language) == ["en"])
    let session = try engine.session()
    for _ in 0..<3 { #expect(try session.recognize(tenths: 2).text == "ten meters") }
    #expect(count.withLock { $0 } == 1)
  }

  @Test
  func `a server that hangs up after each transcript gets a new connection for each utterance`()
    throws
  {
    let count = Mutex(0)
    let server = try ScriptedServer { side in
      count.withLock { $0 += 1 }
      side.transcribe(as: "ten meters", endsAfterText: true)
    }
    let session = try SpeechEngine.patient(server.address).session()
    for _ in 0..<20 { #expect(try session.recognize(tenths: 2).text == "ten meters") }
    #expect(count.withLock { $0 } == 20)
  }

  @Test func `a text that arrives before the audio's end is never used for the next utterance`()
    throws
  {
    // The server's own endpointing returns a text early, and the rest of the text later.
    let server = try ScriptedServer { side in
      var hasAnswered = false
      side.answerEach { event in
        switch event.type {
        case "describe": side.info()
        case "audio-start" where hasAnswered:
          side.write(WyomingEvent("transcript", ["text": "late"]))
        case "audio-chunk" where !hasAnswered:
          side.write(WyomingEvent("transcript", ["text": "early"]))
          hasAnswered = true
        default: break
        }
        return true
      }
    }
    let session = try SpeechEngine.patient(server.address).makeSession(SpeechSessionOptions())
    for _ in 0..<3 {
      try session.beginUtterance()
      // The text arrives during this loop, before the last audio is sent.
      repeat {
        try session.process([Float](repeating: 0.1, count: 1_600))
      } while try session.hypothesis.words.isEmpty
      #expect(try session.finishUtterance().text == "early")
    }
  }

  @Test func `late, repeated, or unrequested responses are not used for the next utterance`()
    throws
  {
    let server = try ScriptedServer { side in
      var count = 0
      let answer = { side.write(WyomingEvent("transcript", ["text": .string("\(count)")])) }
      side.answerEach { event in
        switch event.type {
        case "describe":
          if count > 0 { answer() }
          side.info()
        case "audio-start": side.info()
        case "audio-stop":
          count += 1
          side.info()
          answer()
          answer()
        default: break
        }
        return true
      }
    }
    let session = try SpeechEngine.patient(server.address).session()
    // A new connection would start counting at 1 again.
    for count in 1...5 { #expect(try session.recognize(tenths: 2).text == "\(count)") }
  }

  @Test
  func `a text repeated during the next utterance does not become the text of that utterance`()
    throws
  {
    let server = try ScriptedServer { side in
      var count = 0
      let answer = { side.write(WyomingEvent("transcript", ["text": .string("\(count)")])) }
      side.answerEach { event in
        switch event.type {
        case "describe": side.info()
        // Sends the text of the previous utterance again, during the current one.
        case "audio-chunk" where count > 0: answer()
        case "audio-stop":
          count += 1
          answer()
        default: break
        }
        return true
      }
    }
    let session = try SpeechEngine.patient(server.address).session()
    #expect(try session.recognize(tenths: 2).text == "1")
    try session.beginUtterance()
    repeat {
      try session.process([Float](repeating: 0.1, count: 1_600))
    } while try session.hypothesis.words.isEmpty
    #expect(try session.finishUtterance().text == "2")
  }

  @Test func `an early transcript on a reused connection is used if no other transcript follows`()
    throws
  {
    let count = Mutex(0)
    let server = try ScriptedServer { side in
      count.withLock { $0 += 1 }
      var hasAnswered = false
      side.answerEach { event in
        switch event.type {
        case "describe": side.info()
        case "audio-chunk" where hasAnswered:
          side.write(WyomingEvent("transcript", ["text": "early"]))
        case "audio-stop" where !hasAnswered:
          side.write(WyomingEvent("transcript", ["text": "first"]))
          hasAnswered = true
        default: break
        }
        return true
      }
    }
    let session = try SpeechEngine.patient(server.address).session()
    #expect(try session.recognize(tenths: 2).text == "first")
    try session.beginUtterance()
    repeat {
      try session.process([Float](repeating: 0.1, count: 1_600))
    } while try session.hypothesis.words.isEmpty
    #expect(try session.finishUtterance().text == "early")
    #expect(count.withLock { $0 } == 1)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a reused connection is soon replaced if its server hangs`() throws {
    let count = Mutex(0)
    let server = try ScriptedServer { side in
      if count.withLock({
        $0 += 1; return $0
      }) == 1 {
        side.describing { _ in }
        side.waitForEnd()
      } else {
        side.transcribe(as: "ten meters")
      }
    }
    let engine = SpeechEngine.patient(server.address) {
      ($0.checkTimeout, $0.describeTimeout) = (.milliseconds(10), .seconds(120))
    }
    #expect(engine.models().count == 1)
    #expect(try engine.session().recognize(tenths: 1).text == "ten meters")
    #expect(count.withLock { $0 } == 2)
  }

  @Test func `an unused connection is closed after its timeout`() throws {
    let ended = try WakeUp()
    let server = try ScriptedServer { side in
      side.transcribe(as: "ten meters")
      ended.signal()
    }
    let engine = SpeechEngine.patient(server.address) { $0.idleTimeout = .milliseconds(20) }
    #expect(engine.models().count == 1)
    ended.wait()
    #expect(try engine.session().recognize(tenths: 1).text == "ten meters")
  }

  @Test func `the engine reports that it is remote, so a failure loses only one utterance`() {
    let engine = SpeechEngine.wyoming(server: .tcp(host: "127.0.0.1", port: 9))
    #expect(engine.isRemote)
  }

  @Test func `streamed chunks form a growing hypothesis`() throws {
    let server = try ScriptedServer { side in
      side.describing { _ in
        side.read(until: "audio-chunk")
        side.write(WyomingEvent("transcript-start"))
        side.write(WyomingEvent("transcript-chunk", ["text": "go for"]))
        side.write(WyomingEvent("transcript-chunk", ["text": "ward"]))
        side.write(WyomingEvent("ping"))
        side.read(until: "audio-stop")
        side.write(WyomingEvent("transcript", ["text": "go forward"]))
        side.write(WyomingEvent("transcript-stop"))
        side.waitForEnd()
      }
    }
    let session = try SpeechEngine.patient(server.address).session()
    try session.beginUtterance()
    #expect(try session.hypothesis.words.isEmpty)
    try session.process([Float](repeating: 0.1, count: 1600))
    var seen: [String] = []
    while seen.last != "go forward" {
      // Keeps sending audio until the server's whole text has arrived.
      try session.process([Float](repeating: 0.1, count: 16))
      let text = try session.hypothesis.text
      if text != seen.last, !text.isEmpty { seen.append(text) }
    }
    #expect(seen == ["go forward"] || seen == ["go for", "go forward"])
    #expect(try session.finishUtterance().text == "go forward")
  }

  @Test func `a server that sends its text early gets no more audio, and may close the connection`()
    throws
  {
    let server = try ScriptedServer { side in
      side.describing { _ in
        side.read(until: "audio-chunk")
        side.write(WyomingEvent("transcript", ["text": "stop"]))
      }
    }
    let session = try SpeechEngine.patient(server.address).session()
    #expect(try session.recognize(tenths: 50).text == "stop")
  }

  @Test func `an interruption ends the wait for a transcript and all later calls`() throws {
    let interrupt = Mutex<(@Sendable () -> Void)?>(nil)
    let server = try ScriptedServer { side in
      side.describing { _ in
        side.read(until: "audio-stop")
        interrupt.withLock { $0 }?()
        side.waitForEnd()
      }
    }
    let session = try SpeechEngine.patient(server.address) { $0.answerTimeout = .seconds(86_400) }
      .session()
    interrupt.withLock { $0 = session.interrupt }
    #expect(throws: SpeechEngineError.interrupted) { try session.recognize(tenths: 1) }
    #expect(throws: SpeechEngineError.interrupted) { try session.beginUtterance() }
  }

  @Test func `an interruption ends the wait for a connection`() throws {
    let server = try BusyServer()
    let session = try SpeechEngine.patient(server.address) { $0.connectTimeout = .seconds(86_400) }
      .makeSession(SpeechSessionOptions())
    let interrupt = session.interrupt
    _ = try DedicatedThread.start(name: "test-interrupt") { interrupt() }
    #expect(throws: SpeechEngineError.interrupted) {
      try session.prepare()
    }
    #expect(throws: SpeechEngineError.interrupted) { try session.beginUtterance() }
  }

  @Test func `an interruption ends the wait for a child process that loads its model`() throws {
    // The child keeps its output open as descriptor 3, because closing its output would end the
    // wait, too.
    let session = try SpeechEngine.patient(.stdio(command: "exec cat 3>&1 > /dev/null")) {
      $0.startTimeout = .seconds(86_400)
    }.makeSession(SpeechSessionOptions())
    let interrupt = session.interrupt
    _ = try DedicatedThread.start(name: "test-interrupt") { interrupt() }
    #expect(throws: SpeechEngineError.interrupted) { try session.prepare() }
  }

  @Test func `an interruption ends the wait for the addresses of a host`() throws {
    let interruption = try WakeUp()
    interruption.signal()
    #expect(throws: LinkError.interrupted) {
      try ByteLink.connected(
        host: "x.invalid", port: 1, within: TimeBudget(.seconds(60)), until: interruption)
    }
  }

  @Test func `an utterance without text has no words, and the session continues`() throws {
    let server = try ScriptedServer { side in
      side.describing { _ in
        side.read(until: "audio-stop")
        side.write(WyomingEvent("transcript", ["text": ""]))
      }
    }
    let session = try SpeechEngine.patient(server.address).session()
    for _ in 0..<3 { #expect(try session.recognize(tenths: 1).words.isEmpty) }
  }

  @Test func `releasing a session within an utterance closes its connection`() throws {
    let end = try WakeUp()
    let server = try ScriptedServer { side in
      side.describing { _ in
        side.waitForEnd()

        end.signal()
      }
    }
    do {
      let session = try SpeechEngine.patient(server.address).session()
      try session.beginUtterance()
    }
    #expect(end.wait(atMost: .seconds(60)))
  }
}
