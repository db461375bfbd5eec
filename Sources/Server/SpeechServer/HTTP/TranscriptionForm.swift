import AudioCore
import NIOHTTP1
import SpeechClient
import Wyoming

/// Collects the texts of a form that asks for a transcription or a translation.
///
/// Unknown fields are ignored, as by OpenAI.
struct TranscriptionForm: Sendable {
  /// The maximum size of all texts, in bytes.
  static let textLimit = 64 << 10

  /// The fields with one text.
  private static let names = ["model", "language", "prompt", "response_format", "temperature"]
  /// The fields with one text that only a transcription has.
  private static let transcriptionNames = [
    "stream", "chunking_strategy", "chunking_strategy[type]", "chunking_strategy[threshold]",
    "chunking_strategy[prefix_padding_ms]", "chunking_strategy[silence_duration_ms]",
  ]
  /// The fields with several texts, of a transcription; a client may append `[]` to their names.
  private static let lists = [
    "languages", "keywords", "include", "timestamp_granularities", "known_speaker_names",
  ]

  let translates: Bool
  private var texts: [String: [[UInt8]]] = [:]
  private var size = 0
  /// The name of the current field; nil for the file and for ignored fields.
  private var current: String?
  private(set) var hasFile = false

  init(translates: Bool) {
    self.translates = translates
  }

  /// Begins a field, and returns whether it is the file.
  mutating func begin(_ name: String) throws(HTTPFault) -> Bool {
    let bare = name.hasSuffix("[]") ? String(name.dropLast(2)) : name
    let isList = !translates && Self.lists.contains(bare)
    let isText =
      Self.names.contains(name) || !translates && Self.transcriptionNames.contains(name)
    current = isList ? bare : isText ? name : nil
    if let current {
      guard isList || texts[current] == nil else {
        throw Self.fault(current, "duplicate_parameter", "the form has \(current) twice")
      }
      texts[current, default: []].append([])
    }
    guard name == "file" else { return false }
    guard !hasFile else {
      throw Self.fault(
        "file", "duplicate_parameter", "the form has two files; send them one by one")
    }
    hasFile = true
    return true
  }

  /// Adds bytes to the current field.
  mutating func add(_ bytes: [UInt8]) throws(HTTPFault) {
    guard let current, let last = texts[current]?.indices.last else { return }
    size += bytes.count
    guard size <= Self.textLimit else {
      throw Self.fault(
        current, "string_above_max_length",
        "the texts of the form are longer than \(Self.textLimit) bytes")
    }
    texts[current]?[last] += bytes
  }

  // MARK: Values

  /// Returns the texts of a field that are not empty.
  fileprivate func list(_ name: String, atMost count: Int = 256) throws(HTTPFault) -> [String] {
    var list: [String] = []
    for bytes in texts[name] ?? [] {
      guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
        throw Self.fault(name, "invalid_value", "\(name) is not a text in UTF-8")
      }
      if !text.allSatisfy(\.isWhitespace) { list.append(text) }
    }
    guard list.count <= count else {
      throw Self.fault(
        name, "array_above_max_length", "\(name) has \(list.count) values; send at most \(count)")
    }
    return list
  }

  fileprivate func text(_ name: String) throws(HTTPFault) -> String? { try list(name).first }

  fileprivate func check(
    _ name: String, _ values: [String?], _ requirement: String, _ isValid: (String) -> Bool
  ) throws(HTTPFault) {
    guard let value = values.compactMap({ $0 }).first(where: { !isValid($0) }) else { return }
    throw Self.fault(name, "invalid_value", "\(name) is \(quoted(value)); \(requirement)")
  }

  fileprivate func number(
    _ name: String, in range: ClosedRange<Double>, _ text: String?
  ) throws(HTTPFault) -> Double? {
    let (low, high) = ("\(Int(range.lowerBound))", "\(Int(range.upperBound))")
    try check(name, [text], "give a number from \(low) to \(high)") {
      Double($0).map(range.contains) == true
    }
    return text.flatMap(Double.init)
  }

  fileprivate static func fault(_ param: String, _ code: String, _ message: String) -> HTTPFault {
    HTTPFault(.badRequest, param: param, code: code, message)
  }
}

/// The parameters of a transcription or a translation, which are those of OpenAI's client.
struct TranscriptionParameters: Hashable, Sendable {
  /// The form of the response.
  enum Format: String, CaseIterable, Sendable {
    case json, text, srt, vtt
    case verboseJSON = "verbose_json"
    case diarizedJSON = "diarized_json"
  }

  /// The maximum number of characters of a phrase.
  static let longestPhrase = 200
  /// The longest silence and padding.
  static let longestMilliseconds = 10_000

  /// The name of an engine or a model; any other name means the default.
  let model: String
  let translates: Bool
  let format: Format
  /// Whether `verbose_json` contains words.
  let hasWords: Bool
  /// Whether `verbose_json` contains segments.
  let hasSegments: Bool
  let includesLogprobs: Bool
  /// Whether the response is a stream of events.
  let streams: Bool
  /// The names of the channels' speakers, in the order of the channels.
  let speakers: [String]
  /// The language of the speech, or `SpokenLanguage.detected`; nil for the server's language.
  let locale: String?
  private let phrases: [String]
  private let preRoll: Duration?
  private let silence: Duration?

  /// Reads the parameters of a form.
  ///
  /// - Throws: a fault with status 400 that names the first invalid or missing parameter.
  init(_ form: TranscriptionForm) throws(HTTPFault) {
    translates = form.translates
    guard let model = try form.text("model") else {
      throw TranscriptionForm.fault(
        "model", "missing_required_parameter",
        "the form has no model; add model=syrinx, or the name of an engine")
    }
    self.model = model
    let formats = Format.allCases.filter { !form.translates || $0 != .diarizedJSON }
    format = try Self.choice("response_format", in: form, formats) ?? .json
    streams = try Self.choice("stream", in: form, ["true", "false"]) == "true"
    let granularities = try form.list("timestamp_granularities")
    try form.check("timestamp_granularities", granularities, "give word or segment") {
      ["word", "segment"].contains($0)
    }
    hasWords = granularities.contains("word")
    hasSegments = granularities.isEmpty || granularities.contains("segment")
    let include = try form.list("include")
    try form.check("include", include, "give logprobs") { $0 == "logprobs" }
    includesLogprobs = !include.isEmpty
    try Self.check(
      format, allows: !granularities.isEmpty, "timestamp_granularities", [.verboseJSON])
    try Self.check(format, allows: includesLogprobs, "include", [.json])
    try Self.check(
      format, allows: streams, "stream",
      [.json, .text, .verboseJSON, .diarizedJSON])
    speakers = try form.list("known_speaker_names", atMost: 16)
    try form.check("known_speaker_names", speakers, "give a name of at most 64 characters") {
      $0.count <= 64
    }
    locale = try Self.locale(form)
    phrases = try Self.phrases(form)
    _ = try form.number("temperature", in: 0...1, form.text("temperature"))
    (preRoll, silence) = try Self.chunking(form)
  }

  /// Applies the parameters to a request that already has the server's own settings.
  func apply(to request: inout SpeechRequest) {
    request.locale = locale ?? request.locale
    if translates, request.locale == nil { request.locale = SpokenLanguage.detected }
    request.translates = translates
    request.contextualPhrases += phrases
    request.endpointPolicy.joinsUtterances = true
    if let preRoll { request.endpointPolicy.preRoll = preRoll }
    if let silence { request.endpointPolicy.silence = silence }
    if format == .diarizedJSON { request.channels = .separate }
    request.measuresWordTimes = format != .json && format != .text
  }

  private static func choice<Choice: LosslessStringConvertible & Equatable>(
    _ name: String, in form: TranscriptionForm, _ choices: [Choice]
  ) throws(HTTPFault) -> Choice? {
    let text = try form.text(name)?.lowercased()
    let list = choices.map(\.description).joined(separator: ", ")
    try form.check(name, [text], "give one of \(list)") { text in
      choices.contains { $0.description == text }
    }
    return choices.first { $0.description == text }
  }

  /// Checks that a parameter is used only with some formats.
  private static func check(
    _ format: Format, allows isUsed: Bool, _ name: String, _ formats: [Format]
  ) throws(HTTPFault) {
    guard isUsed, !formats.contains(format) else { return }
    let list = formats.map(\.rawValue).joined(separator: ", ")
    throw TranscriptionForm.fault(
      name, "unsupported_parameter",
      "\(name) cannot be used with response_format \(format); use \(list)")
  }

  private static func locale(_ form: TranscriptionForm) throws(HTTPFault) -> String? {
    let language = try form.list("language")
    let tags = try language.isEmpty ? form.list("languages", atMost: 64) : language
    let name = language.isEmpty ? "languages" : "language"
    try form.check(name, tags, "give a code such as en or de-CH, or auto", isLanguage)
    return locale(of: tags)
  }

  /// Whether a text has the form of a language tag.
  static func isLanguage(_ tag: String) -> Bool {
    (2...35).contains(tag.utf8.count) && tag.first?.isLetter == true
      && tag.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }

  /// Returns the language of a request; several possible languages mean that it is detected.
  static func locale(of tags: [String]) -> String? {
    let locales = Set(tags.map { String($0.map { $0 == "_" ? "-" : $0 }) })
    return locales.count > 1 ? SpokenLanguage.detected : locales.first
  }

  private static func phrases(_ form: TranscriptionForm) throws(HTTPFault) -> [String] {
    let keywords = try form.list("keywords")
    try form.check("keywords", keywords, "give at most \(longestPhrase) characters") {
      $0.count <= longestPhrase
    }
    return phrases(keywords, prompt: try form.text("prompt"))
  }

  /// Returns the keywords, and the pieces of the prompt between commas and line feeds.
  static func phrases(_ keywords: [String], prompt: String?) -> [String] {
    // The prompt may be any text, so its long sentences are no hints, but no fault either.
    let pieces = (prompt ?? "").split { $0 == "," || $0.isNewline }.map(String.init)
    let hints = pieces.filter { $0.count <= longestPhrase }.prefix(256)
    return (keywords + hints).compactMap { phrase in
      let words = phrase.split(whereSeparator: \.isWhitespace)
      return words.isEmpty ? nil : words.joined(separator: " ")
    }
  }

  /// Returns the padding before speech and the silence after it, which the client may send as JSON
  /// or as one field for each member.
  private static func chunking(
    _ form: TranscriptionForm
  ) throws(HTTPFault) -> (preRoll: Duration?, silence: Duration?) {
    let name = "chunking_strategy"
    var members: [String: String] = [:]
    for member in ["type", "threshold", "prefix_padding_ms", "silence_duration_ms"] {
      members[member] = try form.text("\(name)[\(member)]")
    }
    if let text = try form.text(name), text != "auto" {
      try form.check(name, [text], "give auto, or an object with the type server_vad") { text in
        JSONValue(parsing: Array(text.utf8))?.object != nil
      }
      for (member, value) in JSONValue(parsing: Array(text.utf8))?.object ?? [:] {
        members[member] = value.string ?? value.number.map { "\($0)" } ?? "\(value)"
      }
      members["type"] = members["type"] ?? "missing"
    }
    try form.check("\(name)[type]", [members["type"]], "give server_vad") {
      $0 == "server_vad"
    }
    let time = { (member: String) throws(HTTPFault) -> Duration? in
      try form.number("\(name)[\(member)]", in: 0...Double(longestMilliseconds), members[member])
        .map {
          .milliseconds($0)
        }
    }
    _ = try form.number("\(name)[threshold]", in: 0...1, members["threshold"])
    return (try time("prefix_padding_ms"), try time("silence_duration_ms"))
  }
}

extension TranscriptionParameters.Format: LosslessStringConvertible {
  init?(_ description: String) { self.init(rawValue: description) }
  var description: String { rawValue }
}
