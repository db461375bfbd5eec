import AudioCore
import AudioThreads
import SpeechClient
import SpeechEngine
import Wyoming

/// Turns the results of one transcription into events.
///
/// Chunks only append, so they contain only stable words. The final transcript may differ from them
/// in case and punctuation.
struct TranscriptWriter {
  private let language: String?
  private var finished: [String] = []
  /// The current utterance, and its words that have been sent.
  private var utterance = 0
  private var sent: [String] = []
  /// The end of the current voice.
  private var voiceEnd: Duration?
  private var hasBegun = false

  init(language: String?) {
    self.language = language
  }

  /// Returns the events for a result.
  mutating func take(_ result: SpeechRecognitionResult) -> [WyomingEvent] {
    let segments = result.bestTranscription.segments
    var events = result.utterance == utterance ? [] : end()
    utterance = result.utterance
    events += begin(segments)
    // Retracted words were a voice too: it ends with the last of them.
    voiceEnd = segments.last.map { $0.timestamp + $0.duration } ?? voiceEnd
    events += send(result.stablePrefix.segments.map(\.substring))
    return result.isFinal ? events + end() : events
  }

  /// Returns the last events, after all results.
  mutating func finish() -> [WyomingEvent] {
    let events = end()
    var data: [String: JSONValue] = ["text": .string(finished.joinedAsWritten)]
    if let language { data["language"] = .string(language) }
    return events + start() + [WyomingEvent("transcript", data), WyomingEvent("transcript-stop")]
  }

  private func begin(_ segments: [TranscriptionSegment]) -> [WyomingEvent] {
    guard voiceEnd == nil, let first = segments.first else { return [] }
    return [Self.voice("voice-started", at: first.timestamp)]
  }

  /// Ends the current utterance.
  ///
  /// The sent words of a lost utterance stay.
  private mutating func end() -> [WyomingEvent] {
    finished += sent
    sent = []
    defer { voiceEnd = nil }
    return voiceEnd.map { [Self.voice("voice-stopped", at: $0)] } ?? []
  }

  /// Sends the utterance's new words.
  private mutating func send(_ words: [String]) -> [WyomingEvent] {
    let last = sent.last ?? finished.last ?? ""
    let new = words.dropFirst(sent.count).joinedAsWritten
    sent = words
    guard !new.isEmpty else { return [] }
    let text = last.separator(before: new) + new
    return start() + [WyomingEvent("transcript-chunk", ["text": .string(text)])]
  }

  private mutating func start() -> [WyomingEvent] {
    guard !hasBegun else { return [] }
    hasBegun = true
    return [
      WyomingEvent("transcript-start", language.map { ["language": .string($0)] } ?? [:])
    ]
  }

  private static func voice(_ type: String, at time: Duration) -> WyomingEvent {
    let (seconds, attoseconds) = time.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    return WyomingEvent(type, ["timestamp": .integer(Int(milliseconds))])
  }
}

extension SpeechEngine {
  /// The `info` event of a server with this engine, without models if the caller is canceled.
  ///
  /// It is computed on its own thread, because another server may respond slowly.
  func info() async -> WyomingEvent {
    let unknown = Self.info(name, [])
    return await DedicatedThread.run(
      name: "syrinx-info", abandoned: unknown, failed: { _ in unknown },
      { Self.info(name, models()) })
  }

  /// Without models, the event has no program.
  static func info(_ name: String, _ models: [SpeechModel]) -> WyomingEvent {
    guard !models.isEmpty else { return WyomingEvent("info", ["asr": []]) }
    let artifacts = models.map { model in
      WyomingArtifact(
        name: "\(name)-\(model.language)",
        description: "The model of \(name) for \(model.language)",
        details: [
          "languages": [.string(model.language)],
          "attribution": ["name": .string(name), "url": .string(homepages[name] ?? "")],
        ])
    }
    let program = WyomingArtifact(
      name: name, description: "Syrinx with \(name)",
      details: [
        "models": .array(artifacts.map(\.data)),
        "attribution": ["name": "Syrinx", "url": .string(SyrinxVersion.homepage)],
        "supports_transcript_streaming": true,
        // Home Assistant decides when a command has ended.
        "requires_external_vad": true, "prefers_auto_gain_enabled": true,
        "prefers_noise_reduction_enabled": false, "version": .string(SyrinxVersion.current),
      ])
    return WyomingEvent("info", ["asr": [program.data]])
  }

  /// The engines' pages on the web.
  private static var homepages: [String: String] {
    [
      "moonshine": "https://github.com/moonshine-ai/moonshine",
      "pocketsphinx": "https://cmusphinx.github.io", "vosk": "https://alphacephei.com/vosk/",
      "wyoming": "https://github.com/OHF-Voice/wyoming",
    ]
  }
}
