import AudioCore
import AudioThreads
import ClientDependencies
import CoreMetrics
import SpeechClient
import SpeechEngine
import Synchronization

/// The events of a client's recognition.
typealias RecognitionEvents = any AsyncSequence<SpeechRecognitionEvent, any Error> & Sendable

extension SpeechServerOptions {
  /// Recognizes a request of a client with `\.speechClient`, counts it, and reports its losses.
  ///
  /// - Parameters:
  ///   - request: the client's request, after `prepare`.
  ///   - client: the client's number in reports.
  ///   - speech: the recognizer.
  ///   - engine: the engine that the client chose; nil for `\.speechEngine`.
  func recognition(
    of request: SpeechRequest, for client: Int, by speech: SpeechClient,
    with engine: SpeechEngine? = nil
  ) async -> RecognitionEvents {
    meters.requests.increment()
    let events = await withDependencies {
      if let engine { $0.speechEngine = engine }
    } operation: {
      await speech.recognition(request: request)
    }
    return events.map { event in
      switch event {
      case .speechEnded: meters.utterances.increment()
      case .dropped(let range, let reason):
        meters.recordLoss(of: range.upperBound - range.lowerBound, reason)
        await report(.dropped(client: client, range, reason: reason))
      default: break
      }
      return event
    }
  }

  /// Counts and reports a client's transcript.
  func reportTranscript(of audio: Duration, after elapsed: Duration, for client: Int) async {
    meters.recordTranscript(of: audio, after: elapsed)
    await report(.recognized(client: client, audio: audio, elapsed: elapsed))
  }
}

/// The recognition of audio that a client sends piece by piece.
final class LiveRecognition<Output: Sendable>: Sendable {
  private let client: Int
  private let watch: PeerWatch
  private let options: SpeechServerOptions
  private let stopwatch: Stopwatch
  // The lock is held to read or change the length of the audio.
  private let length = Mutex(Duration.zero)
  private let audio: PolicyPipe<AudioBuffer>
  private let work: Task<Output, any Error>

  /// Starts to recognize.
  ///
  /// - Parameters:
  ///   - client: the client's number in reports.
  ///   - watch: measures the client's idle time.
  ///   - options: the server's options.
  ///   - recognize: makes the events of a request for the audio.
  ///   - process: handles all events, and returns the output.
  ///   - whenFailed: called with the error of a failed recognition.
  init(
    of client: Int, _ watch: PeerWatch, _ options: SpeechServerOptions,
    recognizing recognize: @escaping @Sendable (SpeechRequest) async -> RecognitionEvents,
    process: @escaping @Sendable (RecognitionEvents) async throws -> Output,
    whenFailed: @escaping @Sendable (any Error) -> Void
  ) {
    @Dependency(\.continuousClock) var clock
    (self.client, self.watch, self.options) = (client, watch, options)
    stopwatch = Stopwatch(clock)
    // The maximum number of buffers that wait for recognition.
    let audio = PolicyPipe<AudioBuffer>(policy: .keepingAll(limit: 4))
    var request = SpeechRequest(buffers: audio.stream())
    request.isLive = true
    self.audio = audio
    work = Task { [request] in
      defer { audio.change { $0.abandon() } }
      do {
        let output = try await process(await recognize(request))
        try Task.checkCancellation()
        return output
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
    watch.credit(audio: buffer.duration)
    length.withLock { $0 += buffer.duration }
    await watch.recognizing {
      await withTaskCancellationHandler {
        audio.send(buffer)
        _ = await audio.room()
      } onCancel: {
        audio.finish(throwing: CancellationError())
      }
    }
  }

  /// Ends the recognition without its output, and returns when it has ended.
  func abandon() async {
    audio.finish(throwing: CancellationError())
    work.cancel()
    await watch.recognizing { _ = await work.result }
  }

  /// Ends the audio, and returns the output.
  ///
  /// - Throws: the error of a failed recognition.
  func finish() async throws -> Output {
    audio.finish()
    return try await watch.recognizing {
      try await withTaskCancellationHandler {
        try await work.value
      } onCancel: {
        work.cancel()
      }
    }
  }

  /// Reports the length of the audio, and the time since the recognition began.
  func report() async {
    await options.reportTranscript(
      of: length.withLock { $0 }, after: stopwatch.elapsed(), for: client)
  }
}

/// Returns memory to the system when no client has had a recognizer for a while.
///
/// Otherwise the engine and the C library keep about 20 MB for each simultaneous client.
func returnMemory(whenEmpty clients: ClientTable, on clock: any Clock<Duration>) async {
  /// The time without clients after which freed memory is returned.
  let delay = Duration.seconds(20)
  @Dependency(\.speechEngine) var engine
  @Dependency(\.speechEngines) var namedEngines
  for await _ in clients.emptied.stream {
    // The delay also gives the last client's recognizer time to end.
    guard (try? await clock.sleep(for: delay)) != nil else { return }
    guard clients.isEmpty else { continue }
    // If no thread can be started, the memory is returned after the next client has left.
    try? await DedicatedThread.run(name: "syrinx-memory") { [engines = [engine] + namedEngines] in
      for engine in engines { engine.returnMemory() }
      returnFreedMemory()
    }
  }
}

/// Returns the fault of the closure that returns first, and cancels the others.
func firstEnding(of endings: @Sendable () async -> ServerFault?...) async -> ServerFault? {
  await withTaskGroup(of: ServerFault?.self) { group in
    for ending in endings { group.addTask { await ending() } }
    defer { group.cancelAll() }
    return await group.next() ?? nil
  }
}
