import AudioCore
import Glibc
import SpeechEngine
import Testing
import Wyoming

@testable import WyomingEngine

/// Every fault of a server is reported as an error within the timeout.
@Suite struct ServerFaultTests {
  /// Returns the reason that an utterance fails on a server that describes itself correctly.
  private func reason(
    _ change: (inout WyomingEngineOptions) -> Void = { _ in },
    _ script: @escaping @Sendable (ServerSide) -> Void
  ) throws -> String? {
    let server = try ScriptedServer { side in side.describing { _ in script(side) } }
    let session = try SpeechEngine.patient(server.address, change).session()
    let error = engineError { _ = try session.recognize(tenths: 3) }
    guard case .failed(let reason) = error else { return nil }
    return reason
  }

  @Test func `the error for a server that does not listen contains the address`() throws {
    let address: WyomingAddress
    do {
      let server = try ScriptedServer { _ in }
      address = server.address
    }
    let engine = SpeechEngine.patient(address)
    let error = SpeechEngineError.unreachable(
      address: address.description, reason: "Connection refused (errno 111)")
    #expect(engine.availability() == .unavailable(error))
    #expect(engineError { _ = try engine.session() } == error)
    let missing = SpeechEngine.patient(.unix(path: "/nowhere/wyoming.sock")).availability()
    #expect(
      missing
        == .unavailable(
          .unreachable(
            address: "unix:///nowhere/wyoming.sock", reason: "No such file or directory (errno 2)"))
    )
  }

  @Test func `an unknown host is an error, and so is a socket path that is too long`() {
    let host = engineError {
      _ = try SpeechEngine.patient(.tcp(host: "x.invalid", port: 1)).session()
    }
    #expect(
      host?.description.contains("the host x.invalid was not found") == true, "\(host as Any)")
    let path = "/" + String(repeating: "x", count: 200)
    let long = engineError { _ = try SpeechEngine.patient(.unix(path: path)).session() }
    #expect(long?.description.contains("at most 107 bytes") == true)
    let own = engineError { _ = try SpeechEngine.patient(.stdio(command: nil)).session() }
    #expect(own?.description.contains("stdio:COMMAND") == true)
  }

  @Test func `a server that accepts a connection but sends nothing is an error`() throws {
    let server = try ScriptedServer { $0.waitForEnd() }
    let engine = SpeechEngine.patient(server.address) { $0.describeTimeout = .milliseconds(50) }
    #expect(
      engineError { _ = try engine.session() }
        == .unreachable(
          address: server.address.description,
          reason: "the server did not answer within 0.05 seconds"))
  }

  @Test func `a server that never sends the text is an error`() throws {
    let reason = try reason({ $0.answerTimeout = .milliseconds(300) }) { $0.waitForEnd() }
    #expect(reason?.hasSuffix("the server did not answer within 0.3 seconds") == true)
  }

  @Test func `if a server reads nothing, sending audio times out once the buffers are full`() throws
  {
    let server = try ScriptedServer { side in
      side.describing { _ in
        side.waitWithoutReading()
      }
    }
    let session = try SpeechEngine.patient(server.address) {
      $0.answerTimeout = .milliseconds(300)
    }.session()
    try session.beginUtterance()
    let error = engineError {
      for _ in 0..<1_000 { try session.process([Float](repeating: 0, count: 16_000)) }
    }
    #expect(error?.description.hasSuffix("did not answer within 0.3 seconds") == true)
  }

  @Test func `a server that closes the connection at any point is an error`() throws {
    let frame = WyomingEvent("transcript", ["text": "ten meters"]).bytes
    for count in stride(from: 0, to: frame.count, by: 7) {
      let reason = try reason { side in
        side.read(until: "audio-stop")
        side.write(Array(frame[..<count]))
      }
      #expect(reason?.hasSuffix("the server closed the connection") == true, "\(reason as Any)")
    }
  }

  @Test func `a server that closes the connection without reading the audio is an error`() throws {
    let reason = try reason { _ in }
    #expect(
      reason?.hasSuffix("the server closed the connection") == true
        || reason?.contains("errno") == true, "\(reason as Any)")
  }

  @Test func `the error contains the server's error message`() throws {
    let late = try reason { side in
      side.read(until: "audio-stop")
      side.write(WyomingEvent("error", ["text": "out of memory", "code": "oom"]))
    }
    #expect(late == "the server says: out of memory")
    let early = try reason { side in
      side.write(WyomingEvent("error", ["text": "too many"]))
      side.waitForEnd()
    }
    #expect(early == "the server says: too many")
  }

  @Test func `a server's error is one line of at most 200 characters`() throws {
    let text = "out\nof \u{1B}[2J" + String(repeating: "x", count: 5_000)
    let server = try ScriptedServer { $0.write(WyomingEvent("error", ["text": .string(text)])) }
    let error = engineError { _ = try SpeechEngine.patient(server.address).session() }
    let described = try #require(error?.description)
    #expect(described.contains(#"the server says: out\nof \x1B[2Jxxx"#))
    #expect(described.count < 500)
    let late = try reason { side in
      side.read(until: "audio-stop")
      side.write(WyomingEvent("error", ["text": .string(text)]))
    }
    #expect(late?.hasPrefix(#"the server says: out\nof \x1B[2Jxxx"#) == true)
    #expect(late?.count ?? 0 < 300)
  }

  @Test func `the names of a server's models are one line of at most 200 characters`() throws {
    let server = try ScriptedServer { side in
      side.info(languages: (0..<1_000).map { .string("l\n\($0)") })
      side.waitForEnd()
    }
    let error = engineError { _ = try SpeechEngine.patient(server.address).session(language: "de") }
    let described = try #require(error?.description)
    #expect(described.contains(#"l\n0, l\n1, "#))
    #expect(described.count < 700 && !described.contains("\n"))
  }

  @Test func `if a server sends an error instead of its description, that error is the reason`()
    throws
  {
    let server = try ScriptedServer { $0.write(WyomingEvent("error", ["text": "busy"])) }
    let error = engineError { _ = try SpeechEngine.patient(server.address).session() }
    #expect(error?.description.contains("reached: the server says: busy;") == true)
  }

  @Test(arguments: [
    "HTTP/1.1 400 Bad Request\r\n\r\n", "{\"type\":\"transcript\",\"payload_length\":1073741824}\n",
    "{\"type\":\"transcript\",\"data_length\":-1}\n", "\0\0\0\0\n",
    "{\"type\":\"transcript\",\"data_length\":\"9\"}\n",
  ]) func `a server that sends other data is reported as not speaking the protocol`(text: String)
    throws
  {
    let reason = try reason { side in
      side.read(until: "audio-stop")
      side.write(text)
      side.waitForEnd()
    }
    #expect(reason?.contains("does not speak the Wyoming protocol") == true, "\(reason as Any)")
  }

  @Test func `an endless line is rejected at the size limit`() throws {
    let reason = try reason({ $0.limits.header = 1_000 }) { side in
      for _ in 0..<10 { side.write([UInt8](repeating: 32, count: 1_000)) }
      side.waitForEnd()
    }
    #expect(reason?.contains("longer than 1000 bytes") == true, "\(reason as Any)")
  }

  @Test func `a response nested deeper than 32 levels is reported as not speaking the protocol`()
    throws
  {
    let deep = String(repeating: "[", count: 340) + String(repeating: "]", count: 340)
    let reason = try reason { side in
      side.read(until: "audio-stop")
      side.write(#"{"type":"transcript","data":{"text":\#(deep)}}"# + "\n")
      side.waitForEnd()
    }
    #expect(reason?.contains("nested deeper than 32 levels") == true, "\(reason as Any)")
  }

  @Test func `a transcript in endless chunks is rejected at one mebibyte`() throws {
    let chunk = WyomingEvent(
      "transcript-chunk", ["text": .string(String(repeating: "word ", count: 10_000))])
    let reason = try reason { side in
      side.read(until: "audio-stop")
      side.flood(with: chunk)
    }
    #expect(reason == "the server sent more than 1048576 bytes of text")
  }

  @Test func `events other than the transcript do not extend the timeout`() throws {
    let reason = try reason({ $0.answerTimeout = .milliseconds(300) }) { side in
      side.read(until: "audio-stop")
      side.flood(with: WyomingEvent("voice-started"))
    }
    #expect(reason?.hasSuffix("the server did not answer within 0.3 seconds") == true)
  }

  @Test func `a server that sends endlessly and reads nothing fails the session`() throws {
    let server = try ScriptedServer { side in
      side.describing { _ in side.flood(with: WyomingEvent("voice-started")) }
    }
    let session = try SpeechEngine.patient(server.address) {
      $0.answerTimeout = .milliseconds(300)
    }.session()
    let error = engineError {
      try session.beginUtterance()
      for _ in 0..<1_000 { try session.process([Float](repeating: 0, count: 16_000)) }
    }
    let reason = error?.description ?? ""
    #expect(
      reason.hasSuffix("did not answer within 0.3 seconds")
        || reason.hasSuffix("far more events than were requested"),
      "\(reason)")
  }

  @Test func `a server that sends endless events but no description times out`() throws {
    let server = try ScriptedServer { $0.flood(with: WyomingEvent("pong")) }
    let engine = SpeechEngine.patient(server.address) { $0.describeTimeout = .milliseconds(50) }
    let error = engineError { _ = try engine.session() }
    #expect(error?.description.contains("did not answer within 0.05 seconds") == true)
  }

  @Test func `a transcript without a text is an error`() throws {
    let reason = try reason { side in
      side.read(until: "audio-stop")
      side.write(WyomingEvent("transcript", ["text": .null]))
    }
    #expect(reason == "the server sent a transcript without a text")
  }

  @Test func `a server that offers no recognition is an error`() throws {
    let server = try ScriptedServer { side in
      side.write(WyomingEvent("info", ["tts": []]))
      side.waitForEnd()
    }
    #expect(
      engineError { _ = try SpeechEngine.patient(server.address).session() }
        == .failed(reason: "the server has no program that recognizes speech"))
  }

  @Test func `a request that the protocol cannot express is an error and not ignored`() throws {
    let server = try ScriptedServer { $0.info() }
    let changes: [(inout SpeechSessionOptions) -> Void] = [
      { $0.grammar = "#JSGF V1.0;" }, { $0.keyPhrases = [KeyPhrase("stop")] },
      { $0.alternativeCount = 2 }, { $0.engineOptions = ["beam": "1"] },
    ]
    for change in changes {
      var options = SpeechSessionOptions()
      change(&options)
      let error = engineError { _ = try SpeechEngine.patient(server.address).makeSession(options) }
      switch error {
      case .unsupported(_, engine: "wyoming"), .optionInvalid(name: "beam", _): break
      default: Issue.record("\(error as Any)")
      }
    }
  }
}

extension ServerSide {
  /// Sends an event over and over until the client is gone.
  fileprivate func flood(with event: WyomingEvent) {
    let bytes = event.bytes
    while send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 {}
  }

  /// Waits until the client is gone, without reading its data.
  fileprivate func waitWithoutReading() {
    // POLLRDHUP, which Swift's Glibc module lacks.
    var request = pollfd(fd: descriptor, events: 0x2000, revents: 0)
    poll(&request, 1, -1)
  }
}
