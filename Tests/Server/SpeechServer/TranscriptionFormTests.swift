import AudioCore
import NIOHTTP1
import SpeechClient
import Testing

@testable import SpeechServer

@Suite struct TranscriptionFormTests {
  private func parameters(
    _ fields: KeyValuePairs<String, String>, translates: Bool = false, model: String? = "syrinx"
  ) throws(HTTPFault) -> TranscriptionParameters {
    var form = TranscriptionForm(translates: translates)
    if let model {
      _ = try form.begin("model")
      try form.add(Array(model.utf8))
    }
    for (name, value) in fields {
      #expect(try form.begin(name) == (name == "file"))
      // A value arrives in pieces.
      for byte in value.utf8 { try form.add([byte]) }
    }
    return try TranscriptionParameters(form)
  }

  private func request(
    _ fields: KeyValuePairs<String, String>, translates: Bool = false
  ) throws -> SpeechRequest {
    var request = SpeechRequest(buffers: AsyncStream<AudioBuffer> { $0.finish() })
    request.contextualPhrases = ["Syrinx"]
    try parameters(fields, translates: translates).apply(to: &request)
    return request
  }

  @Test func `a form with a model alone asks for JSON`() throws {
    let parameters = try parameters(["file": "", "unknown": "1", "unknown": "2"])
    #expect(parameters.model == "syrinx")
    #expect(parameters.format == .json)
    #expect(!parameters.streams && !parameters.includesLogprobs && !parameters.hasWords)
    #expect(parameters.locale == nil)
    let request = try request([:])
    #expect(request.channels == .mixed)
    #expect(request.endpointPolicy.joinsUtterances)
    #expect(request.contextualPhrases == ["Syrinx"])
    #expect(!request.translates && !request.measuresWordTimes)
  }

  @Test func `every parameter of the official client is read`() throws {
    let parameters = try parameters([
      "language": "de_CH", "response_format": "verbose_json", "temperature": "0.2",
      "timestamp_granularities[]": "word", "stream": "False", "prompt": "", "languages[]": "en",
      "known_speaker_references[]": String(repeating: "x", count: 100_000),
    ])
    #expect(parameters.locale == "de-CH")
    #expect(parameters.format == .verboseJSON)
    #expect(parameters.hasWords && !parameters.hasSegments)
    let diarized = try self.parameters([
      "response_format": "diarized_json", "stream": "true", "known_speaker_names[]": "Ann",
      "known_speaker_names[]": "Bob", "chunking_strategy": "auto",
    ])
    #expect(diarized.speakers == ["Ann", "Bob"])
    #expect(diarized.streams)
    #expect(try self.parameters(["include[]": "logprobs"]).includesLogprobs)
  }

  @Test func `the prompt's pieces and the keywords become phrases`() throws {
    let long = String(repeating: "long ", count: 60)
    let request = try request([
      "prompt": "Zürich,  Uetli berg\n\(long)\n\n", "keywords[]": "tram",
      "keywords": " two  words ",
    ])
    #expect(
      request.contextualPhrases == ["Syrinx", "tram", "two words", "Zürich", "Uetli berg"])
  }

  @Test(
    arguments: [
      (["language": "de"], "de"), (["language": "auto"], "auto"), (["languages[]": "fr"], "fr"),
      (["languages": "fr", "languages[]": "en"], "auto"),
      (["language": "de", "languages": "fr"], "de"), (["language": " "], nil),
    ] as [(KeyValuePairs<String, String>, String?)])
  func `one language is used, and several are detected`(
    fields: KeyValuePairs<String, String>, locale: String?
  ) throws {
    #expect(try parameters(fields).locale == locale)
  }

  @Test func `the chunking strategy sets the padding and the silence, as JSON and as fields`()
    throws
  {
    let json = """
      {"type": "server_vad", "prefix_padding_ms": 150, "silence_duration_ms": 800.0, "threshold": 1}
      """
    for request in [
      try request(["chunking_strategy": json]),
      try request([
        "chunking_strategy[type]": "server_vad", "chunking_strategy[prefix_padding_ms]": "150",
        "chunking_strategy[silence_duration_ms]": "800", "chunking_strategy[threshold]": "0.5",
      ]),
    ] {
      #expect(request.endpointPolicy.preRoll == .milliseconds(150))
      #expect(request.endpointPolicy.silence == .milliseconds(800))
    }
    let usual = try request(["chunking_strategy": "auto"])
    #expect(usual.endpointPolicy == EndpointPolicy(joinsUtterances: true))
  }

  @Test func `separate channels are the speakers of diarized JSON`() throws {
    let request = try request(["response_format": "diarized_json"])
    #expect(request.channels == .separate)
    #expect(request.measuresWordTimes)
  }

  @Test func `a translation detects the language and ignores what it does not have`() throws {
    let fields: KeyValuePairs = ["stream": "true", "include[]": "x", "response_format": "srt"]
    let request = try request(fields, translates: true)
    #expect(request.translates)
    #expect(request.locale == "auto")
    #expect(try !parameters(fields, translates: true).streams)
    #expect(try self.request(["language": "de"], translates: true).locale == "de")
    #expect(throws: HTTPFault.self) {
      try parameters(["response_format": "diarized_json"], translates: true)
    }
  }

  @Test(
    arguments: [
      (["response_format": "xml"], "response_format", "invalid_value"),
      (["temperature": "1.5"], "temperature", "invalid_value"),
      (["temperature": "warm"], "temperature", "invalid_value"),
      (["temperature": "nan"], "temperature", "invalid_value"),
      (["stream": "yes"], "stream", "invalid_value"),
      (["stream": "true", "response_format": "srt"], "stream", "unsupported_parameter"),
      (["language": "d\u{e9}"], "language", "invalid_value"),
      (["language": "german please"], "language", "invalid_value"),
      (["languages[]": "1"], "languages", "invalid_value"),
      (["timestamp_granularities[]": "char"], "timestamp_granularities", "invalid_value"),
      (["timestamp_granularities[]": "word"], "timestamp_granularities", "unsupported_parameter"),
      (["include[]": "tokens"], "include", "invalid_value"),
      (["include": "logprobs", "response_format": "vtt"], "include", "unsupported_parameter"),
      (["chunking_strategy": "fast"], "chunking_strategy", "invalid_value"),
      (["chunking_strategy": "[1]"], "chunking_strategy", "invalid_value"),
      (["chunking_strategy": "{}"], "chunking_strategy[type]", "invalid_value"),
      (
        ["chunking_strategy": "{\"type\":\"server_vad\",\"threshold\":2}"],
        "chunking_strategy[threshold]", "invalid_value"
      ),
      (
        ["chunking_strategy": "{\"type\":\"server_vad\",\"silence_duration_ms\":\"1 s\"}"],
        "chunking_strategy[silence_duration_ms]", "invalid_value"
      ),
      (
        ["chunking_strategy[prefix_padding_ms]": "-1"], "chunking_strategy[prefix_padding_ms]",
        "invalid_value"
      ),
      (["keywords[]": String(repeating: "x", count: 201)], "keywords", "invalid_value"),
      (
        ["known_speaker_names[]": String(repeating: "x", count: 65)], "known_speaker_names",
        "invalid_value"
      ),
      (["prompt": String(repeating: "x", count: 65_536)], "prompt", "string_above_max_length"),
      (["prompt": "a\u{0}"], "prompt", "invalid_value"),
      (["language": "en", "language": "en"], "language", "duplicate_parameter"),
      (["model": "other"], "model", "duplicate_parameter"),
      (["file": "1", "file": "2"], "file", "duplicate_parameter"),
    ] as [(KeyValuePairs<String, String>, String, String)])
  func `an invalid parameter is named in the fault`(
    fields: KeyValuePairs<String, String>, param: String, code: String
  ) {
    let fault = #expect(throws: HTTPFault.self) { try parameters(fields) }
    #expect(fault?.status == .badRequest)
    #expect(fault?.param == param)
    #expect(fault?.code == code)
    #expect(fault?.type == "invalid_request_error")
  }

  @Test func `a form without a model, with too many names, or with broken text is a fault`() {
    let missing = #expect(throws: HTTPFault.self) { try parameters([:], model: nil) }
    #expect(missing?.code == "missing_required_parameter")
    var form = TranscriptionForm(translates: false)
    #expect(throws: HTTPFault.self) {
      for _ in 0...16 {
        _ = try form.begin("known_speaker_names[]")
        try form.add([65])
      }
      _ = try form.begin("model")
      try form.add([65])
      _ = try TranscriptionParameters(form)
    }
    var broken = TranscriptionForm(translates: false)
    let fault = #expect(throws: HTTPFault.self) {
      _ = try broken.begin("model")
      try broken.add([0xFF])
      _ = try TranscriptionParameters(broken)
    }
    #expect(fault?.param == "model")
  }
}
