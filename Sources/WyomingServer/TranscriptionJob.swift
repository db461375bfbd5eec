import AudioCore
import CoreMetrics
import SpeechClient
import Wyoming

/// One recognition: audio goes in, events come out, and the transcript at the end.
final class TranscriptionJob: Sendable {
  /// The most buffers that wait for recognition.
  static let bufferLimit = 4

  private let audio: PolicyPipe<AudioBuffer>
  private let work: Task<[WyomingEvent], any Error>

  /// - Parameters:
  ///   - client: the number of the client for reports.
  ///   - options: the server's additions to the request, and its log.
  ///   - write: sends an event to the client, and may wait for it.
  ///   - whenFailed: called with the error of a failed recognition.
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
    // The protocol carries no word times.
    request.measuresWordTimes = false
    self.audio = audio
    work = Task { [request, report = options.report, meters = options.meters] in
      defer { audio.change { $0.abandon() } }
      do {
        var writer = TranscriptWriter(language: asked.language)
        for try await event in await speech.recognition(request: request) {
          switch event {
          case .result(let result):
            for event in writer.take(result) { try await write(event) }
          case .speechEnded: meters.utterances.increment()
          case .dropped(let range, let reason):
            meters.droppedAudio.increment(by: (range.upperBound - range.lowerBound).inSeconds)
            await report(.dropped(client: client, range, reason: reason))
          default: break
          }
        }
        try Task.checkCancellation()
        return writer.finish()
      } catch {
        // A canceled recognition has not failed: the reason is known.
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
