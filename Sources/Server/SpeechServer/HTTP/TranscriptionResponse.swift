import AudioCore
import SpeechClient
import Wyoming

/// Turns the final results of a file into the body of a response, or into server-sent events.
///
/// Events contain only final text, so later events never change earlier text.
struct TranscriptionResponse: Sendable {
  private let parameters: TranscriptionParameters
  /// The text so far.
  private var text = ""
  /// The codes of the detected languages, in the order of their first utterances.
  private var detected: [String] = []
  private var logprobs: [JSONValue] = []
  private var words: [JSONValue] = []
  /// The segments of `verbose_json` and `diarized_json`.
  private var segments: [JSONValue] = []
  private var segmentCount = 0
  private var sorter = CueSorter()
  /// The cues so far.
  private var cues = ""
  /// The text of the cues so far.
  private var cueText = ""

  init(_ parameters: TranscriptionParameters) {
    self.parameters = parameters
  }

  /// The value of `Content-Type`.
  var contentType: String {
    if parameters.streams { return "text/event-stream" }
    return switch parameters.format {
    case .json, .verboseJSON, .diarizedJSON: "application/json"
    case .text: "text/plain; charset=utf-8"
    case .srt: "application/x-subrip; charset=utf-8"
    case .vtt: "text/vtt; charset=utf-8"
    }
  }

  /// Adds a result, and returns its events; without a stream, they are empty.
  mutating func add(_ result: SpeechRecognitionResult) -> String {
    let result = result.printable
    let transcription = result.bestTranscription
    guard result.isFinal, let first = transcription.segments.first,
      let last = transcription.segments.last
    else { return "" }
    if let code = result.language?.tag.languageCode, !detected.contains(code) {
      detected.append(code)
    }
    let utterance = transcription.formattedString
    var delta: [String: JSONValue] = ["type": "transcript.text.delta"]
    delta["delta"] = .string(text.separator(before: utterance) + utterance)
    text += delta["delta"]?.string ?? ""
    switch parameters.format {
    case .json, .text:
      guard parameters.includesLogprobs else { break }
      let new = transcription.segments.map(JSONValue.logprob)
      logprobs += new
      delta["logprobs"] = .array(new)
    case .diarizedJSON:
      segmentCount += 1
      delta["segment_id"] = .string("seg_\(segmentCount)")
      let segment: JSONValue = [
        "type": "transcript.text.segment", "id": .string("seg_\(segmentCount)"),
        "speaker": .string(speaker(of: result.channel ?? 0)), "text": .string(utterance),
        "start": .seconds(first.timestamp), "end": .seconds(last.timestamp + last.duration),
      ]
      if parameters.streams { return event(.object(delta)) + event(segment) }
      segments.append(segment)
    case .srt, .vtt, .verboseJSON:
      if parameters.hasWords { words += transcription.segments.map { .word($0) } }
      add(sorter.add(transcription, of: nil, speaker: nil))
    }
    return parameters.streams ? event(.object(delta)) : ""
  }

  /// Returns the last events, or without a stream the body.
  ///
  /// - Parameters:
  ///   - duration: the duration of the audio.
  ///   - language: the language of the engine's model, which is reported if no other is known.
  ///   - warning: the reason that the text is incomplete, for a stream, whose header has been sent.
  mutating func end(
    duration: Duration, language: String? = nil, warning: String? = nil
  ) -> String {
    add(sorter.flush())
    var body: [String: JSONValue] = ["text": .string(text)]
    body["usage"] = ["type": "duration", "seconds": .seconds(duration)]
    if !detected.isEmpty { body["languages"] = .array(detected.map { ["code": .string($0)] }) }
    if parameters.includesLogprobs, [.json, .text].contains(parameters.format) {
      body["logprobs"] = .array(logprobs)
    }
    if parameters.streams {
      body["type"] = "transcript.text.done"
      body["syrinx_warning"] = warning.map(JSONValue.string)
      guard parameters.format == .verboseJSON else { return event(.object(body)) }
    }
    switch parameters.format {
    case .text: return text + "\n"
    case .srt: return cues
    case .vtt: return (CueFormat.vtt.header ?? "") + "\n" + cues
    case .json: break
    case .diarizedJSON:
      body["task"] = "transcribe"
      body["duration"] = .seconds(duration)
      body["segments"] = .array(segments)
    case .verboseJSON:
      body["task"] = parameters.translates ? "translate" : "transcribe"
      body["duration"] = .seconds(duration)
      let known = parameters.locale == SpokenLanguage.detected ? nil : parameters.locale
      let spoken = detected.first ?? known?.languageCode ?? language?.languageCode ?? "und"
      body["language"] = .string((parameters.translates ? "en" : spoken).languageName)
      if parameters.hasSegments { body["segments"] = .array(segments) }
      if parameters.hasWords { body["words"] = .array(words) }
    }
    if parameters.streams { return event(.object(body)) }
    return String(decoding: JSONValue.object(body).text, as: UTF8.self)
  }

  private mutating func add(_ new: [Cue]) {
    for cue in new {
      segmentCount += 1
      guard parameters.format == .verboseJSON else {
        let format = parameters.format == .srt ? CueFormat.srt : .vtt
        cues += format.text(of: cue, number: segmentCount) + "\n"
        continue
      }
      let spaced = cue.spacedWords(after: cueText).joined()
      cueText = spaced
      // The keys about Whisper's decoder have neutral values.
      segments.append([
        "id": .integer(segmentCount - 1), "seek": 0, "start": .seconds(cue.start),
        "end": .seconds(cue.end), "text": .string(spaced), "tokens": [], "temperature": 0,
        "avg_logprob": .rounded(cue.averageLogProbability), "compression_ratio": 1,
        "no_speech_prob": 0,
      ])
    }
  }

  /// Returns the given name of a channel's speaker; otherwise, a letter from A on.
  private func speaker(of channel: Int) -> String {
    guard !parameters.speakers.indices.contains(channel) else {
      return parameters.speakers[channel]
    }
    return String(UnicodeScalar(UInt8(ascii: "A") + UInt8(clamping: channel % 26)))
  }

  private func event(_ value: JSONValue) -> String {
    "data: \(String(decoding: value.text, as: UTF8.self))\n\n"
  }
}

extension JSONValue {
  fileprivate static func rounded(_ number: Double) -> JSONValue {
    .number((number * 1_000).rounded() / 1_000 + 0)
  }

  static func seconds(_ time: Duration) -> JSONValue { .rounded(time.inSeconds) }

  /// Returns a word with its times, in audio that began at `origin`.
  static func word(_ word: TranscriptionSegment, since origin: Duration = .zero) -> JSONValue {
    let start = origin + word.timestamp
    return [
      "word": .string(word.substring), "start": .seconds(start),
      "end": .seconds(start + word.duration),
    ]
  }

  /// Returns a word as a token, without a probability if the engine has no confidences.
  static func logprob(_ word: TranscriptionSegment) -> JSONValue {
    var token: [String: JSONValue] = ["token": .string(word.substring)]
    token["bytes"] = .array(word.substring.utf8.map { .integer(Int($0)) })
    token["logprob"] = word.logProbability.map(JSONValue.rounded)
    return .object(token)
  }
}

extension String {
  /// The code of a language tag, such as `de` of `de-CH`.
  var languageCode: String {
    lowercased().split(separator: "-").first.map(String.init) ?? self
  }

  /// The English name of a language's code, as in the responses of OpenAI; the code if it is rare.
  fileprivate var languageName: String { Self.languageNames[self] ?? self }

  private static let languageNames: [String: String] = {
    let words = """
      ar arabic bg bulgarian ca catalan cs czech da danish de german el greek en english es spanish \
      et estonian fa persian fi finnish fr french he hebrew hi hindi hr croatian hu hungarian \
      id indonesian is icelandic it italian ja japanese ko korean lt lithuanian lv latvian \
      ms malay nl dutch no norwegian pl polish pt portuguese ro romanian ru russian sk slovak \
      sl slovenian sr serbian sv swedish ta tamil th thai tr turkish uk ukrainian ur urdu \
      vi vietnamese zh chinese
      """.split(separator: " ").map(String.init)
    return Dictionary(
      uniqueKeysWithValues: stride(from: 0, to: words.count - 1, by: 2).map {
        (words[$0], words[$0 + 1])
      })
  }()
}
