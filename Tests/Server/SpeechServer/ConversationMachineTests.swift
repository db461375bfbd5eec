import AudioCore
import SpeechClient
import Testing
import Wyoming

@testable import SpeechServer

@Suite struct ConversationMachineTests {
  private let format = WyomingAudioFormat.speech.data

  private func actions(
    _ events: [WyomingEvent]
  ) throws(ServerFault) -> [ConversationMachine.Action] {
    var machine = ConversationMachine()
    var actions: [ConversationMachine.Action] = []
    for event in events { actions += try machine.process(event) }
    return actions
  }

  private func chunk(_ payload: [UInt8], _ data: [String: JSONValue]? = nil) -> WyomingEvent {
    WyomingEvent("audio-chunk", data ?? format, payload: payload)
  }

  @Test func `a transcription begins, adds buffers in order, and finishes`() throws {
    let transcribe: [String: JSONValue] = [
      "language": "en", "transcript_names": ["Ann"], "transcript_terms": ["ten meters"],
    ]
    let actions = try actions([
      WyomingEvent("transcribe", transcribe), WyomingEvent("audio-start", format),
      chunk([0, 64, 0, 192]), chunk([0]), chunk([64]), WyomingEvent("audio-stop"),
    ])
    let first = AudioBuffer(format: .speech, samples: [0.5, -0.5])
    let second = AudioBuffer(format: .speech, samples: [0.5], firstFrame: 2)
    var expected = TranscriptionRequest()
    expected.language = "en"
    expected.phrases = ["Ann", "ten meters"]
    #expect(actions == [.begin(expected), .add(first), .add(second), .finish])
  }

  @Test func `the request of one transcription does not affect the next transcription`() throws {
    let stop = WyomingEvent("audio-stop")
    let actions = try actions([
      WyomingEvent("transcribe", ["language": "en"]), WyomingEvent("audio-start", format), stop,
      WyomingEvent("audio-start", format), stop, WyomingEvent("transcribe", ["language": "de"]),
      stop,
      stop,
    ])
    let languages = actions.compactMap { action -> String?? in
      if case .begin(let request) = action { request.language } else { nil }
    }
    #expect(languages == ["en", nil, "de", nil])
    #expect(actions.count { $0 == .finish } == 4)
  }

  @Test func `audio without audio-start begins with its first chunk`() throws {
    #expect(try actions([chunk([]), chunk([0, 64])]).count == 2)
    #expect(try actions([chunk([])]) == [.begin(TranscriptionRequest())])
  }

  @Test func `describe and ping get a response, and unknown events are ignored`() throws {
    let actions = try actions([
      WyomingEvent("ping", ["text": "x", "more": 1]), WyomingEvent("describe"),
      WyomingEvent("ping"),
      WyomingEvent("select-program", ["name": "y"]), WyomingEvent("voice-stopped"),
      WyomingEvent("transcribe", ["language": .null, "name": 7, "transcript_terms": "x"]),
    ])
    #expect(
      actions
        == [.answer(WyomingEvent("pong", ["text": "x"])), .describe, .answer(WyomingEvent("pong"))])
  }

  @Test func `unexpected events and invalid formats are faults`() {
    let start = WyomingEvent("audio-start", format)
    let other = WyomingEvent(
      "audio-chunk", format.merging(["rate": 8_000]) { $1 }, payload: [0, 0])
    for events in [[start, start], [start, WyomingEvent("transcribe")], [start, other]] {
      let fault = #expect(throws: ServerFault.self) { _ = try actions(events) }
      #expect(fault?.code == "unexpected")
    }
    for events in [[WyomingEvent("audio-start")], [chunk([0], ["rate": 1])]] {
      let fault = #expect(throws: ServerFault.self) { _ = try actions(events) }
      #expect(fault?.code == "audio-format")
    }
  }

  @Test func `floating-point samples of width 4 are a fault of the audio format`() {
    let payload = (0..<1_000).flatMap { frame in
      let sample: Float = frame % 2 == 0 ? 0.1 : -0.3
      return withUnsafeBytes(of: sample.bitPattern.littleEndian, Array.init)
    }
    let data = format.merging(["width": 4]) { $1 }
    let fault = #expect(throws: ServerFault.self) { _ = try actions([chunk(payload, data)]) }
    #expect(fault == .audioFormat(.floatingPoint))
  }
}

@Suite struct TranscriptWriterTests {
  private func lines(_ events: [WyomingEvent]) -> [String] {
    events.map { event in
      let value = event.data["text"]?.string ?? event.data["timestamp"]?.integer.map(String.init)
      return [event.type, value].compactMap { $0 }.joined(separator: "|")
    }
  }

  @Test func `transcript chunks never change, and the joined chunks equal the transcript`() {
    var writer = TranscriptWriter(language: "en")
    var events = writer.process(.partial("go"))
    events += writer.process(.partial("go four words", stable: 1))
    events += writer.process(.partial("go forward", stable: 1))
    events += writer.process(.final("go forward"))
    events += writer.process(.partial("ten", utterance: 1))
    events += writer.process(.final("ten meters", utterance: 1))
    events += writer.flush()
    #expect(
      lines(events) == [
        "voice-started|0", "transcript-start", "transcript-chunk|go", "transcript-chunk| forward",
        "voice-stopped|1000",
        "voice-started|2000", "transcript-chunk| ten meters", "voice-stopped|3000",
        "transcript|go forward ten meters", "transcript-stop",
      ])
    #expect(events.last { $0.type == "transcript" }?.data["language"] == "en")
  }

  @Test func `the transcript has the language that was detected last`() {
    var writer = TranscriptWriter(language: "auto")
    var events: [WyomingEvent] = []
    for (utterance, tag) in ["de", "es"].enumerated() {
      var result = SpeechRecognitionResult.final("hola", utterance: utterance)
      result.language = SpokenLanguage(tag, probability: 1)
      events += writer.process(result)
    }
    events += writer.flush()
    #expect(events.last { $0.type == "transcript" }?.data["language"] == "es")
  }

  @Test
  func `sent words stay unchanged in chunks, and the transcript has the final result's spelling`() {
    var writer = TranscriptWriter(language: nil)
    var events = writer.process(.partial("isn't it so", stable: 2))
    events += writer.process(.final("Isn't it? 250 euros."))
    events += writer.process(.final("\u{6211} \u{53BB} \u{3002}", utterance: 1))
    events += writer.flush()
    let texts = events.compactMap { $0.data["text"]?.string }
    #expect(
      texts == [
        "isn't it", " 250 euros.", "\u{6211}\u{53BB}\u{3002}",
        "Isn't it? 250 euros.\u{6211}\u{53BB}\u{3002}",
      ])
  }

  @Test(arguments: [
    ("i can not go", 3, "I cannot go on.", ["i can not", " go on."]),
    ("go forward ten metres", 3, "Go-forward 10 meters", ["go forward ten", " meters"]),
    ("twenty then", 1, "twenty five", ["twenty", " five"]),
    ("go on then", 2, "No one is there", ["go on", " is there"]),
  ])
  func `chunks never revise sent words, and the transcript is the final text`(
    partial: String, stable: Int, final: String, chunks: [String]
  ) {
    var writer = TranscriptWriter(language: nil)
    var events = writer.process(.partial(partial, stable: stable))
    // This partial result contradicts a word that was sent, but the chunks keep the word.
    events += writer.process(.partial("x", stable: 0))
    events += writer.process(.final(final)) + writer.flush()
    let texts = events.compactMap { $0.data["text"]?.string }
    #expect(texts == chunks + [final])
  }

  @Test func `the transcript omits an unintelligible utterance, but not the next utterance`() {
    var writer = TranscriptWriter(language: nil)
    _ = writer.process(.partial("alpha beta gamma", stable: 2))
    #expect(lines(writer.drop(.unintelligible)) == ["voice-stopped|1500"])
    _ = writer.process(.final("delta epsilon", utterance: 1))
    // After a final result, no utterance is in progress, so a drop changes nothing.
    #expect(writer.drop(.unintelligible).isEmpty)
    #expect(lines(writer.flush()).first == "transcript|delta epsilon")
  }

  @Test func `without speech, the transcript is empty`() {
    var writer = TranscriptWriter(language: nil)
    #expect(lines(writer.flush()) == ["transcript-start", "transcript|", "transcript-stop"])
  }

  @Test
  func `if all words are retracted, voice-stopped has the end time of the last retracted word`() {
    let results: [[SpeechRecognitionResult]] = [
      [.partial("oh"), .final("")], [.partial("oh"), .partial(""), .final("")],
      [.partial("oh"), .partial("")],
    ]
    for results in results {
      var writer = TranscriptWriter(language: nil)
      var events: [WyomingEvent] = []
      for result in results { events += writer.process(result) }
      events += writer.flush()
      #expect(
        lines(events) == [
          "voice-started|0", "voice-stopped|500", "transcript-start", "transcript|",
          "transcript-stop",
        ])
    }
  }

  @Test
  func `a lost utterance keeps its sent words, and the next utterance starts a new chunk`() {
    var writer = TranscriptWriter(language: nil)
    _ = writer.process(.partial("alpha beta gamma", stable: 2))
    let next = lines(writer.process(.partial("delta epsilon", stable: 1, utterance: 1)))
    #expect(next.count == 3 && next[0].hasPrefix("voice-stopped|"))
    #expect(next.count == 3 && next[1].hasPrefix("voice-started|2000"))
    #expect(next.last == "transcript-chunk| delta")
    _ = writer.process(.final("delta epsilon", utterance: 1))
    #expect(lines(writer.flush()).first == "transcript|alpha beta delta epsilon")
  }

  @Test func `a transcript equals its joined chunks, even if the end of the audio is lost`() {
    var writer = TranscriptWriter(language: nil)
    let events =
      writer.process(.final("one two"))
      + writer.process(.partial("three four", stable: 1, utterance: 1))
      + writer.flush()
    func texts(_ type: String) -> [String] {
      events.filter { $0.type == type }.compactMap { $0.data["text"]?.string }
    }
    #expect(texts("transcript-chunk").joined() == "one two three")
    #expect(texts("transcript") == ["one two three"])
    #expect(events.count { $0.type == "voice-stopped" } == 2)
  }
}
