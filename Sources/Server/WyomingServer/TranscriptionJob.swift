import AudioCore
import AudioThreads
import CoreMetrics
import SpeechClient
import SpeechEngine
import Wyoming

/// Recognizes audio and turns the results into events, with the transcript at the end.
final class TranscriptionJob: Sendable {
  /// The maximum number of buffers that wait for recognition.
  static let bufferLimit = 4

  private let audio: PolicyPipe<AudioBuffer>
  private let work: Task<[WyomingEvent], any Error>

  /// Creates a job.
  ///
  /// `client` is the client's number in reports. `options` contains the closures that change the
  /// request and receive reports. `write` sends an event to the client, and may wait until the
  /// client receives it. `whenFailed` is called with the error of a failed recognition.
  init(
    _ asked: TranscriptionRequest, of client: Int, with speech: SpeechClient,
    options: WyomingServerOptions,
    write: @escaping @Sendable (WyomingEvent) async throws -> Void,
    whenFailed: @escaping @Sendable (any Error) -> Void
  ) {
    let audio = PolicyPipe<AudioBuffer>(policy: .keepingAll(limit: Self.bufferLimit))
    var request = SpeechRequest(buffers: audio.stream())
    request.isLive = true
    request = options.prepare(request)
    if let language = asked.language { request.locale = language }
    request.contextualPhrases += asked.phrases
    // The protocol has no word timestamps.
    request.measuresWordTimes = false
    self.audio = audio
    work = Task { [request, report = options.report, meters = options.meters] in
      defer { audio.change { $0.abandon() } }
      do {
        var writer = TranscriptWriter(language: asked.language)
        for try await event in await speech.recognition(request: request) {
          switch event {
          case .result(let result):
            for event in writer.process(result) { try await write(event) }
          case .speechEnded: meters.utterances.increment()
          case .dropped(let range, let reason):
            meters.recordLoss(of: range.upperBound - range.lowerBound, reason)
            await report(.dropped(client: client, range, reason: reason))
            for event in writer.drop(reason) { try await write(event) }
          default: break
          }
        }
        try Task.checkCancellation()
        return writer.flush()
      } catch {
        // A cancellation is not reported as a failure.
        if !Task.isCancelled { whenFailed(error) }
        throw error
      }
    }
  }

  deinit {
    work.cancel()
  }

  /// Adds audio, and returns when there is room for more.
  ///
  /// If the caller is canceled, the speech is incomplete and the recognition fails.
  func add(_ buffer: AudioBuffer) async {
    await withTaskCancellationHandler {
      audio.send(buffer)
      _ = await audio.room()
    } onCancel: {
      audio.finish(throwing: CancellationError())
    }
  }

  /// Ends the audio, and returns the remaining events with the transcript.
  ///
  /// - Throws: the error of a failed recognition.
  func finish() async throws -> [WyomingEvent] {
    audio.finish()
    return try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      work.cancel()
    }
  }
}

/// Turns the results of one transcription into events.
///
/// A client appends each chunk to the previous chunks, so chunks contain only stable words. The
/// transcript contains the words of the final results.
struct TranscriptWriter {
  /// The language of the transcript: the requested or the last detected language.
  private var language: String?
  private var finished: [String] = []
  /// The number of the current utterance; `stable` has its stable words.
  private var utterance = 0
  private var stable: [String] = []
  /// The number of normalized words of this utterance that have been sent.
  private var sentCount = 0
  /// The last text that was sent.
  private var lastSent = ""
  /// The end of the current speech, which `voice-stopped` reports.
  private var voiceEnd: Duration?
  private var hasBegun = false

  init(language: String?) {
    self.language = language
  }

  /// Returns the events for a result.
  mutating func process(_ result: SpeechRecognitionResult) -> [WyomingEvent] {
    let segments = result.bestTranscription.segments
    language = result.language?.tag ?? language
    var events = result.utterance == utterance ? [] : end()
    utterance = result.utterance
    events += begin(segments)
    // If the engine retracts all words, the end of the last retracted word is kept.
    voiceEnd = segments.last.map { $0.timestamp + $0.duration } ?? voiceEnd
    events += send(result.stablePrefix.segments.map(\.substring))
    return result.isFinal ? events + end() : events
  }

  /// Returns the events for a loss.
  ///
  /// An unintelligible utterance adds no words. An utterance in which the engine failed keeps the
  /// words that were sent.
  mutating func drop(_ reason: SpeechRecognitionEvent.DropReason) -> [WyomingEvent] {
    guard reason == .unintelligible else { return [] }
    stable = []
    return end()
  }

  /// Returns the last events, after all results.
  mutating func flush() -> [WyomingEvent] {
    let events = end()
    var data: [String: JSONValue] = ["text": .string(finished.joinedAsWritten)]
    if let language { data["language"] = .string(language) }
    return events + start() + [WyomingEvent("transcript", data), WyomingEvent("transcript-stop")]
  }

  private func begin(_ segments: [TranscriptionSegment]) -> [WyomingEvent] {
    guard voiceEnd == nil, let first = segments.first else { return [] }
    return [Self.voice("voice-started", at: first.timestamp)]
  }

  /// Ends the current utterance and returns its last events.
  private mutating func end() -> [WyomingEvent] {
    finished += stable
    (stable, sentCount) = ([], 0)
    defer { voiceEnd = nil }
    return voiceEnd.map { [Self.voice("voice-stopped", at: $0)] } ?? []
  }

  /// Sends the utterance's new words.
  ///
  /// Words are counted after normalization, because earlier words may have been joined or split
  /// since they were sent.
  private mutating func send(_ words: [String]) -> [WyomingEvent] {
    stable = words
    let normalized = WordNormalization.spoken.words(of: words)
    guard normalized.count > sentCount else { return [] }
    let known = sentCount > 0 ? normalized[sentCount - 1].end : 0
    let new = words.dropFirst(known).joinedAsWritten
    sentCount = normalized.count
    guard !new.isEmpty else { return [] }
    defer { lastSent = new }
    let text = lastSent.separator(before: new) + new
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
    WyomingEvent(type, ["timestamp": .integer(time.wholeMilliseconds)])
  }
}

extension SpeechEngine {
  /// Returns the `info` event of a server with this engine, without models if the caller is
  /// canceled.
  ///
  /// The models are listed on a separate thread, because the engine may have to wait for another
  /// server.
  func info() async -> WyomingEvent {
    let unknown = Self.info(name, [])
    return await DedicatedThread.run(
      name: "syrinx-info", abandoned: unknown, failed: { _ in unknown },
      { Self.info((choose(SpeechSessionOptions()) ?? self).name, models()) })
  }

  /// Returns the `info` event for an engine; without models, the event has no program.
  static func info(_ name: String, _ models: [SpeechModel]) -> WyomingEvent {
    guard !models.isEmpty else { return WyomingEvent("info", ["asr": []]) }
    let artifacts = models.map { model in
      artifact(
        "\(name)-\(model.language)", "The model of \(name) for \(model.language)",
        [
          "languages": [.string(model.language)],
          "attribution": ["name": .string(name), "url": .string(homepages[name] ?? "")],
        ])
    }
    let program = artifact(
      name, "Syrinx with \(name)",
      [
        "models": .array(artifacts),
        "attribution": ["name": "Syrinx", "url": .string(SyrinxVersion.homepage)],
        "supports_transcript_streaming": true,
        // Both are true, because Home Assistant itself detects the end of a command.
        "requires_external_vad": true, "prefers_auto_gain_enabled": true,
        "prefers_noise_reduction_enabled": false, "version": .string(SyrinxVersion.current),
      ])
    return WyomingEvent("info", ["asr": [program]])
  }

  /// Returns an entry of an `info` event with common fields and the fields in `details`.
  private static func artifact(
    _ name: String, _ description: String, _ details: [String: JSONValue]
  ) -> JSONValue {
    let common: [String: JSONValue] = [
      "name": .string(name), "description": .string(description), "installed": true,
      "version": .null,
    ]
    return .object(common.merging(details) { $1 })
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
