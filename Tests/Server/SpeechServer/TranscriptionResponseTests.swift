import AudioCore
import SpeechClient
import Testing
import Wyoming

@testable import SpeechServer

@Suite struct TranscriptionResponseTests {
  private func parameters(
    _ fields: KeyValuePairs<String, String>, translates: Bool = false
  ) throws -> TranscriptionParameters {
    var form = TranscriptionForm(translates: translates)
    _ = try form.begin("model")
    try form.add(Array("x".utf8))
    for (name, value) in fields {
      _ = try form.begin(name)
      try form.add(Array(value.utf8))
    }
    return try TranscriptionParameters(form)
  }

  /// Returns the events and the end of the response to these results.
  private func response(
    _ results: [SpeechRecognitionResult], _ fields: KeyValuePairs<String, String> = [:],
    translates: Bool = false, language: String? = nil, warning: String? = nil
  ) throws -> (events: [String], end: String) {
    var response = TranscriptionResponse(try parameters(fields, translates: translates))
    let events = results.map { response.add($0) }
    let end = response.end(duration: .milliseconds(4_500), language: language, warning: warning)
    return (events, end)
  }

  private func value(_ text: String) throws -> JSONValue {
    let prefix = text.hasPrefix("data: ") ? 6 : 0
    return try #require(JSONValue(parsing: Array(text.utf8.dropFirst(prefix))))
  }

  private let speech: [SpeechRecognitionResult] = [
    .partial("Guten"), .final("Guten Tag."), .final(""), .final("Bis bald.", utterance: 1),
  ]

  private func spoken(_ text: String, in language: String, channel: Int? = nil, at second: Int = 0)
    -> SpeechRecognitionResult
  {
    var result = SpeechRecognitionResult(text, isFinal: true, start: .seconds(second))
    result.language = SpokenLanguage(language, probability: 0.9)
    result.channel = channel
    return result
  }

  @Test func `JSON has the text and the duration`() throws {
    let (events, end) = try response(speech)
    #expect(events.allSatisfy { $0.isEmpty })
    #expect(
      end == #"{"text":"Guten Tag. Bis bald.","usage":{"seconds":4.5,"type":"duration"}}"#)
    #expect(try response([]).end == #"{"text":"","usage":{"seconds":4.5,"type":"duration"}}"#)
  }

  @Test func `JSON lists each detected language once`() throws {
    let results = [spoken("a", in: "de-DE"), spoken("b", in: "en"), spoken("c", in: "de")]
    #expect(try value(response(results).end)["languages"] == [["code": "de"], ["code": "en"]])
  }

  @Test func `logprobs are the logarithms of the confidences`() throws {
    var result = SpeechRecognitionResult.final("ja é")
    result.bestTranscription.segments[0].confidence = 0.5
    let end = try value(response([result], ["include[]": "logprobs"]).end)
    #expect(
      end["logprobs"] == [
        ["token": "ja", "bytes": [106, 97], "logprob": .number(-0.693)],
        ["token": "é", "bytes": [195, 169]],
      ])
  }

  @Test func `text is one line, even if the words have line feeds`() throws {
    let fields: KeyValuePairs = ["response_format": "text"]
    #expect(try response(speech, fields).end == "Guten Tag. Bis bald.\n")
    var result = SpeechRecognitionResult.final("a b")
    result.bestTranscription.segments[0].substring = "a\n\u{1B}"
    for format in ["text", "srt", "vtt"] {
      let text = try response([result], ["response_format": format]).end
      #expect(text.contains(#"a\n\x1B b"#), "\(text)")
    }
  }

  @Test func `subtitles have cues`() throws {
    #expect(
      try response(speech, ["response_format": "srt"]).end == """
        1
        00:00:00,000 --> 00:00:01,000
        Guten Tag.

        2
        00:00:02,000 --> 00:00:03,000
        Bis bald.


        """)
    let vtt = try response(speech, ["response_format": "vtt"]).end
    #expect(vtt.hasPrefix("WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nGuten Tag.\n\n00:00:02.000"))
    #expect(try response([], ["response_format": "vtt"]).end == "WEBVTT\n\n")
  }

  @Test func `verbose JSON has segments by default, and words on request`() throws {
    let end = try value(
      response(speech, ["response_format": "verbose_json", "language": "de"]).end)
    #expect(end["language"] == "german")
    #expect(end["duration"] == .number(4.5))
    #expect(end["task"] == "transcribe")
    #expect(end["words"] == nil)
    let segments = try #require(end["segments"]?.array)
    #expect(segments.map { $0["text"] } == [" Guten Tag.", " Bis bald."])
    #expect(segments.map { $0["id"] } == [0, 1])
    #expect(segments.map { $0["start"]?.number } == [0, 2])
    let keys = Set(segments[0].object?.keys.map { $0 } ?? [])
    #expect(
      keys == [
        "id", "seek", "start", "end", "text", "tokens", "temperature", "avg_logprob",
        "compression_ratio", "no_speech_prob",
      ])
    let words = try value(
      response(
        speech, ["response_format": "verbose_json", "timestamp_granularities[]": "word"]
      ).end)
    #expect(words["segments"] == nil)
    #expect(words["words"]?.array?.count == 4)
    #expect(words["words"]?.array?.last == ["word": "bald.", "start": .number(2.5), "end": 3])
  }

  @Test(
    arguments: [
      ([:], "fr-FR", false, "french"), (["language": "auto"], "fr", false, "german"),
      (["language": "tlh"], nil, false, "tlh"), ([:], "fr", true, "english"),
    ] as [(KeyValuePairs<String, String>, String?, Bool, String)])
  func `the language is the detected one, the requested one, or the model's`(
    fields: KeyValuePairs<String, String>, model: String?, translates: Bool, name: String
  ) throws {
    let results = name == "german" ? [spoken("ja", in: "de")] : speech
    var all = Array(fields)
    all.append((key: "response_format", value: "verbose_json"))
    var form = TranscriptionForm(translates: translates)
    for (name, value) in all + [(key: "model", value: "x")] {
      _ = try form.begin(name)
      try form.add(Array(value.utf8))
    }
    var response = TranscriptionResponse(try TranscriptionParameters(form))
    for result in results { _ = response.add(result) }
    let end = try value(response.end(duration: .seconds(1), language: model))
    #expect(end["language"] == .string(name))
    #expect(end["task"] == (translates ? "translate" : "transcribe"))
  }

  @Test func `diarized JSON names the speaker of each channel`() throws {
    let results = [
      spoken("Hello.", in: "en", channel: 1), spoken("Hi.", in: "en", channel: 0, at: 3),
      spoken("Well.", in: "en", at: 5),
    ]
    let end = try value(
      response(
        results, ["response_format": "diarized_json", "known_speaker_names[]": "Ann"]
      ).end)
    let segments = try #require(end["segments"]?.array)
    #expect(segments.map { $0["speaker"] } == ["B", "Ann", "Ann"])
    #expect(
      segments[1] == [
        "type": "transcript.text.segment", "id": "seg_2", "speaker": "Ann", "text": "Hi.",
        "start": 3, "end": .number(3.4),
      ])
    #expect(end["text"] == "Hello. Hi. Well.")
    #expect(end["task"] == "transcribe")
    #expect(end["duration"] == .number(4.5))
  }

  @Test func `the deltas of a stream join into its text`() throws {
    let (events, end) = try response(
      speech, ["stream": "true", "include[]": "logprobs"], warning: "the end is missing")
    #expect(events.map(\.isEmpty) == [true, false, true, false])
    #expect((events + [end]).allSatisfy { $0.isEmpty || $0.hasSuffix("}\n\n") })
    let deltas = try events.filter { !$0.isEmpty }.map(value)
    #expect(deltas.allSatisfy { $0["type"] == "transcript.text.delta" })
    #expect(deltas.map { $0["logprobs"]?.array?.count } == [2, 2])
    let done = try value(end)
    #expect(done["logprobs"]?.array?.count == 4)
    #expect(done["type"] == "transcript.text.done")
    #expect(done["text"] == .string(deltas.compactMap { $0["delta"]?.string }.joined()))
    #expect(done["text"] == "Guten Tag. Bis bald.")
    #expect(done["syrinx_warning"] == "the end is missing")
    #expect(done["usage"]?["seconds"] == .number(4.5))
  }

  @Test func `a stream of diarized JSON has a delta and a segment for each utterance`() throws {
    let (events, _) = try response(
      [spoken("Hello.", in: "en", channel: 1)],
      ["response_format": "diarized_json", "stream": "true"])
    let both = try events[0].split(separator: "\n\n").map { try value(String($0)) }
    #expect(both.map { $0["type"] } == ["transcript.text.delta", "transcript.text.segment"])
    #expect(both[0]["segment_id"] == both[1]["id"])
    #expect(both[1]["speaker"] == "B")
  }

  @Test func `a stream of verbose JSON ends with the segments and words`() throws {
    let (events, end) = try response(
      speech,
      [
        "response_format": "verbose_json", "stream": "true", "timestamp_granularities[]": "word",
        "timestamp_granularities[]": "segment",
      ])
    #expect(try value(events[1])["delta"] == "Guten Tag.")
    let done = try value(end)
    #expect(done["type"] == "transcript.text.done")
    #expect(done["segments"]?.array?.count == 2)
    #expect(
      done["words"]?.array?.compactMap { $0["word"]?.string } == ["Guten", "Tag.", "Bis", "bald."])
  }

  @Test(arguments: [
    ("json", "application/json"), ("text", "text/plain; charset=utf-8"),
    ("srt", "application/x-subrip; charset=utf-8"), ("vtt", "text/vtt; charset=utf-8"),
  ])
  func `the content type follows the format`(format: String, type: String) throws {
    let parameters = try parameters(["response_format": format])
    #expect(TranscriptionResponse(parameters).contentType == type)
    let stream = try self.parameters(["stream": "true"])
    #expect(TranscriptionResponse(stream).contentType == "text/event-stream")
  }
}
