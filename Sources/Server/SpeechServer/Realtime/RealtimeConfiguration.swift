import AudioCore
import FoundationEssentials
import SpeechClient
import Wyoming

/// The settings of a realtime session, in the shape of OpenAI's transcription sessions.
struct RealtimeConfiguration: Codable, Equatable, Sendable {
  struct Audio: Codable, Equatable, Sendable {
    var input: Input
  }

  struct Input: Codable, Equatable, Sendable {
    var format: Format
    var transcription: Transcription?
    /// Accepted without an effect: the engines expect unfiltered audio.
    var noiseReduction: NoiseReduction?
    /// Nil if the client itself commits its audio.
    var turnDetection: TurnDetection?
  }

  struct Format: Codable, Equatable, Sendable {
    var type: String
    /// The sample rate in hertz.
    var rate: Int?
  }

  struct Transcription: Codable, Equatable, Sendable {
    var model: String?
    var language: String?
    var languages: [String]?
    var prompt: String?
    var keywords: [String]?
  }

  struct NoiseReduction: Codable, Equatable, Sendable {
    var type: String?
    var strength: Double?
  }

  struct TurnDetection: Codable, Equatable, Sendable {
    var type: String
    /// Accepted without an effect: the detector adapts to the audio.
    var threshold: Double?
    var prefixPaddingMs: Int?
    var silenceDurationMs: Int?
    var eagerness: String?
  }

  var type: String
  var audio: Audio
  /// The additional fields of events.
  var include: [String]?
  /// Our own events and fields: `partials` and `words`.
  var syrinx: [String: Bool]?

  private static let logprobs = "item.input_audio_transcription.logprobs"
  /// The default fields of a detector with the same type.
  private static let detectors: [JSONValue] = [
    [
      "type": "server_vad", "threshold": .number(0.5), "prefix_padding_ms": 300,
      "silence_duration_ms": 500,
    ], ["type": "semantic_vad", "eagerness": "auto"],
  ]

  /// Creates the settings of a new session.
  init(model: String?, partials: Bool) {
    type = "transcription"
    audio = Audio(
      input: Input(
        format: Format(type: "audio/pcm", rate: 24_000),
        transcription: Transcription(model: model),
        turnDetection: TurnDetection(
          type: "server_vad", threshold: 0.5, prefixPaddingMs: 300, silenceDurationMs: 500)))
    if partials { syrinx = ["partials": true] }
  }

  // MARK: Changes

  /// Returns the settings after a change of the fields in `session`; null clears a field.
  func changed(by session: JSONValue) throws(RealtimeError) -> Self {
    guard session.object != nil else {
      throw RealtimeError("session", "it must be an object with the fields to change")
    }
    guard [nil, .string(type)].contains(session["type"]) else {
      throw RealtimeError(
        "session.type", "it must be transcription, because this server generates no responses")
    }
    var merged = value.merging(session)
    merged["audio", "input", "turn_detection"] = merged["audio", "input", "turn_detection"].map {
      detection in
      Self.detectors.first { $0["type"] == detection["type"] }?.merging(detection) ?? detection
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let new: Self
    do {
      new = try decoder.decode(Self.self, from: Data(merged.text))
    } catch {
      throw RealtimeError(decoding: error, in: "session")
    }
    try new.check()
    return new
  }

  /// The settings as JSON; fields without a value are null.
  var value: JSONValue {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    // Encoding fails only for NaN and infinity, which JSON cannot have contained.
    let encoded = (try? encoder.encode(self)).flatMap { JSONValue(parsing: $0) } ?? .null
    let cleared: JSONValue = [
      "audio": [
        "input": ["transcription": .null, "noise_reduction": .null, "turn_detection": .null]
      ], "include": .null,
    ]
    return cleared.merging(encoded)
  }

  private func check() throws(RealtimeError) {
    guard value.text.count <= TranscriptionForm.textLimit else {
      throw RealtimeError(
        "session", "its texts are longer than \(TranscriptionForm.textLimit) bytes",
        code: "string_above_max_length")
    }
    let input = audio.input
    let detection = input.turnDetection
    let formats = ["audio/pcm", "audio/pcmu", "audio/pcma"]
    let rates = input.format.type == "audio/pcm" ? 8_000...96_000 : 8_000...8_000
    let times = 0...TranscriptionParameters.longestMilliseconds
    let eagerness = ["auto", "low", "medium", "high"]
    let transcription = input.transcription
    let languages = transcription?.languages ?? []
    let keywords = transcription?.keywords ?? []
    func isLanguage(_ tag: String) -> Bool {
      tag.isEmpty || TranscriptionParameters.isLanguage(tag)
    }
    let rules: [(isMet: Bool, field: String, text: String)] = [
      (formats.contains(input.format.type), "format.type", "one of \(formats)"),
      (rates.contains(rate), "format.rate", "\(rates)"),
      (
        ["server_vad", "semantic_vad", nil].contains(detection?.type), "turn_detection.type",
        "server_vad or semantic_vad; send null to commit the audio yourself"
      ),
      ((0...1).contains(detection?.threshold ?? 0), "turn_detection.threshold", "0...1"),
      (
        times.contains(detection?.prefixPaddingMs ?? 0), "turn_detection.prefix_padding_ms",
        "\(times)"
      ),
      (
        times.contains(detection?.silenceDurationMs ?? 0), "turn_detection.silence_duration_ms",
        "\(times)"
      ),
      (
        eagerness.contains(detection?.eagerness ?? "auto"), "turn_detection.eagerness",
        "one of \(eagerness)"
      ),
      (
        [transcription?.language ?? ""].allSatisfy(isLanguage), "transcription.language",
        "a code such as en or de-CH, or auto"
      ),
      (
        languages.count <= 64 && languages.allSatisfy(isLanguage), "transcription.languages",
        "a list of at most 64 codes such as en or de-CH"
      ),
      (
        keywords.count <= 256
          && keywords.allSatisfy { $0.count <= TranscriptionParameters.longestPhrase },
        "transcription.keywords", "a list of at most 256 phrases with at most 200 characters each"
      ),
    ]
    for rule in rules where !rule.isMet {
      throw RealtimeError("session.audio.input.\(rule.field)", "it must be \(rule.text)")
    }
    guard include?.allSatisfy({ $0 == Self.logprobs }) ?? true else {
      throw RealtimeError("session.include", "it must be empty or [\"\(Self.logprobs)\"]")
    }
  }

  // MARK: Effects

  /// Whether the client itself commits its audio.
  var isManual: Bool { audio.input.turnDetection == nil }
  /// Whether the client gets the event `syrinx.partial`.
  var reportsPartials: Bool { syrinx?["partials"] == true }
  /// Whether `completed` has the times of the words.
  var reportsWords: Bool { syrinx?["words"] == true }
  /// Whether `completed` has the probabilities of the words.
  var reportsProbabilities: Bool { include?.isEmpty == false }

  /// The sample rate in hertz.
  var rate: Int {
    audio.input.format.rate ?? (audio.input.format.type == "audio/pcm" ? 24_000 : 8_000)
  }

  /// Changes a request for the session's audio, such that the session's settings apply.
  func apply(to request: inout SpeechRequest) {
    let transcription = audio.input.transcription
    let languages = transcription?.language.map { [$0] } ?? transcription?.languages ?? []
    request.locale =
      TranscriptionParameters.locale(of: languages.filter { !$0.isEmpty }) ?? request.locale
    request.contextualPhrases += TranscriptionParameters.phrases(
      transcription?.keywords ?? [], prompt: transcription?.prompt)
    request.measuresWordTimes = reportsWords
    let detection = audio.input.turnDetection
    let silence =
      detection?.type == "semantic_vad"
      ? ["low": 2_000, "high": 500][detection?.eagerness ?? "auto"] ?? 1_000 : 500
    request.endpointPolicy.preRoll = .milliseconds(detection?.prefixPaddingMs ?? 300)
    request.endpointPolicy.silence = .milliseconds(detection?.silenceDurationMs ?? silence)
  }

  /// Returns the bytes of an audio event as 16-bit samples.
  func linear(_ bytes: Data) throws(RealtimeError) -> [UInt8] {
    switch audio.input.format.type {
    case "audio/pcmu": return bytes.flatMap { littleEndian(muLaw($0)) }
    case "audio/pcma": return bytes.flatMap { littleEndian(aLaw($0)) }
    default:
      guard bytes.count.isMultiple(of: 2) else {
        throw RealtimeError(
          "audio", "it has \(bytes.count) bytes, but a sample of audio/pcm has two bytes")
      }
      return Array(bytes)
    }
  }
}

private func littleEndian(_ sample: Int) -> [UInt8] {
  [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
}

/// Returns the 16-bit sample of a byte of G.711's µ-law.
private func muLaw(_ byte: UInt8) -> Int {
  let code = Int(~byte)
  let magnitude = ((code & 0x0F) << 3 + 0x84) << ((code & 0x70) >> 4) - 0x84
  return code & 0x80 == 0 ? magnitude : -magnitude
}

/// Returns the 16-bit sample of a byte of G.711's A-law.
private func aLaw(_ byte: UInt8) -> Int {
  let code = Int(byte ^ 0x55)
  let exponent = (code & 0x70) >> 4
  let mantissa = (code & 0x0F) << 4 + 8
  let magnitude = exponent == 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return code & 0x80 == 0 ? -magnitude : magnitude
}

extension JSONValue {
  /// The value at the end of a path of members; assigning creates the objects of the path.
  fileprivate subscript(path: String...) -> JSONValue? {
    get { path.reduce(self) { $0?[$1] } }
    set { set(newValue, at: path[...]) }
  }

  private mutating func set(_ value: JSONValue?, at path: ArraySlice<String>) {
    guard let name = path.first else { return self = value ?? .null }
    var object = object ?? [:]
    var member = object[name] ?? .null
    member.set(value, at: path.dropFirst())
    object[name] = member
    self = .object(object)
  }

  /// Returns the value with the members of `change`, and with the members of its objects.
  ///
  /// An object of another `type` replaces the whole object.
  func merging(_ change: JSONValue) -> JSONValue {
    guard let old = object, let new = change.object else { return change }
    if let type = new["type"], let oldType = old["type"], type != oldType { return change }
    return .object(old.merging(new) { $0.merging($1) })
  }
}
