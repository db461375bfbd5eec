import AudioCore
import SpeechClient
import Wyoming

/// One recognition: audio goes in, events come out, and the transcript at the end.
final class TranscriptionJob: Sendable {
  /// How many buffers wait for the recognition at most.
  static let bufferLimit = 4

  private let audio: PolicyPipe<AudioBuffer>
  private let work: Task<[WyomingEvent], any Error>

  /// - Parameters:
  ///   - options: what the server adds to the request, and does where something is lost.
  ///   - write: sends an event to the client, and may wait for it.
  ///   - whenFailed: is called with what the recognition ended with, where that is no transcript.
  init(
    _ asked: TranscriptionRequest, with client: SpeechClient,
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
    work = Task { [request, whenDropped = options.whenDropped] in
      defer { audio.change { $0.abandon() } }
      do {
        var writer = TranscriptWriter(language: asked.language)
        for try await event in await client.recognition(request: request) {
          switch event {
          case .result(let result):
            for event in writer.take(result) { try await write(event) }
          case .dropped(let stretch, let reason): await whenDropped(stretch, reason)
          default: break
          }
        }
        try Task.checkCancellation()
        return writer.finish()
      } catch {
        // What nobody wants any more has not failed: why the connection ends is known.
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
  /// Where the caller is cancelled, the speech is incomplete, and the recognition fails.
  func add(_ buffer: AudioBuffer) async {
    await withTaskCancellationHandler {
      audio.send(buffer)
      _ = await audio.room()
    } onCancel: {
      audio.finish(throwing: CancellationError())
    }
  }

  /// The audio has ended; the events that are still to be sent, the transcript among them.
  ///
  /// - Throws: what the recognition ended with, where there is none.
  func finish() async throws -> [WyomingEvent] {
    audio.finish()
    return try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      work.cancel()
    }
  }
}
