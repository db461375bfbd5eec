import AudioCore
import AudioRecorderClient
import AudioThreads
import ClientDependencies
import SoundCard
import SoundFile
import SpeechClient
import SpeechEngine
import Synchronization

/// Makes the recognizer of a task, with a maximum number of decoders.
///
/// The executor runs the recognizer of a channel; nil for a recognizer with its own thread.
typealias RecognizerMaker =
  @Sendable (_ task: SpeechTask, _ jobCount: Int, _ executor: ThreadExecutor?) throws -> Recognizer

/// The tasks of one client.
final class SpeechTasks: Sendable {
  // The lock is held to add and remove a recognition.
  private let running = Mutex<[ObjectIdentifier: any RunningRecognition]>([:])
  // The lock is held to read and write the last status of each remote engine, by its name.
  private let known = Mutex<[String: AuthorizationStatus]>([:])
  private let clock: any Clock<Duration>

  /// - Parameter clock: measures how long a finishing task makes no progress.
  init(clock: any Clock<Duration> = ContinuousClock()) {
    self.clock = clock
  }

  /// Returns the status without waiting for anything but files; for a remote engine, this is the
  /// last known status.
  func authorizationStatus() -> AuthorizationStatus {
    @Dependency(\.speechEngine) var engine
    if engine.isRemote { return known.withLock { $0[engine.name] } ?? .notDetermined }
    guard case .unavailable(let error) = engine.availability() else { return .authorized }
    return AuthorizationStatus(error)
  }

  /// Makes a session on a separate thread, to test whether the engine works.
  ///
  /// The engine keeps the loaded model for later sessions.
  func requestAuthorization() async -> AuthorizationStatus {
    @Dependency(\.speechEngine) var engine
    let asked = engine
    return await DedicatedThread.run(
      name: "syrinx-speech", abandoned: .notDetermined, failed: { AuthorizationStatus($0) }
    ) {
      let status = Self.status(afterLoading: asked)
      self.known.withLock { $0[asked.name] = status }
      return status
    }
  }

  /// Starts a task and returns its results.
  func start(
    _ request: SpeechRequest
  ) -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    begin(request, resultsOnly: true).stream {
      if case .result(let result) = $0 { result } else { nil }
    }
  }

  /// Starts a task and returns all its events.
  func events(
    of request: SpeechRequest
  ) -> AsyncThrowingStream<SpeechRecognitionEvent, any Error> {
    begin(request).stream()
  }

  private func begin(_ request: SpeechRequest, resultsOnly: Bool = false) -> EventPipe {
    @Dependency(\.lockstep) var lockstep
    let events = EventPipe(
      policy: .events(resultsOnly: resultsOnly),
      hold: TimeHold(lockstep, "a reader of recognition events", isFeature: true))
    do {
      try request.checkChannels()
      let makeRecognizer = try recognizers(for: request)
      let audio = request.audio(in: lockstep)
      guard request.channels != .separate else {
        let tasks = ChannelTasks(
          request, into: events, clock: clock, lockstep: lockstep, makeRecognizer: makeRecognizer
        ) { [weak self] in self?.forget($0) }
        try tasks.start(audio)
        register(tasks)
        return events
      }
      let task = SpeechTask(
        request.effectiveBackPressure, events: events, clock: clock, lockstep: lockstep,
        whenOver: { [weak self] in self?.forget($0) })
      task.start(audio, recognizer: try makeRecognizer(task, request.decoderCount, nil))
      register(task)
    } catch {
      events.finish(throwing: SpeechClientError.mapped(error))
    }
    return events
  }

  /// From here on, `finishAll` finds the recognition, unless it is already over.
  private func register(_ recognition: any RunningRecognition) {
    running.withLock { if !recognition.isOver { $0[ObjectIdentifier(recognition)] = recognition } }
  }

  /// Ends all tasks as if their audio ended now.
  func finishAll() async {
    await withDiscardingTaskGroup { group in
      for recognition in recognitions {
        group.addTask { await recognition.finish() }
      }
    }
  }

  /// The tasks that are not over.
  var all: [SpeechTask] { recognitions.flatMap { $0.tasks } }

  private var recognitions: [any RunningRecognition] { running.withLock { Array($0.values) } }

  /// Returns a function that makes the recognizers of a request, with the caller's engine.
  private func recognizers(for request: SpeechRequest) throws -> RecognizerMaker {
    @Dependency(\.speechEngine) var speechEngine
    @Dependency(\.speechActivityDetector) var currentDetector
    let options = try SpeechSessionOptions(request)
    let chosen = speechEngine.choose(options) ?? speechEngine
    try chosen.checkLanguage(options)
    let (engine, detector) = (chosen.reading(request.grammar), currentDetector)
    return { task, jobCount, executor in
      try Recognizer(
        engine: engine, options: options, policy: request.endpointPolicy, detector: detector,
        jobCount: jobCount, isLive: request.mayBeLive,
        joinsUtterances: request.allowsJoining, spelling: request.phraseSpelling,
        events: task.events, control: task.control, channelExecutor: executor)
    }
  }

  private func forget(_ recognition: any RunningRecognition) {
    running.withLock { $0[ObjectIdentifier(recognition)] = nil }
  }

  private static func status(afterLoading engine: SpeechEngine) -> AuthorizationStatus {
    do {
      try engine.makeSession(SpeechSessionOptions()).prepare()
      return .authorized
    } catch {
      return AuthorizationStatus(error)
    }
  }
}

extension SpeechRequest {
  /// Whether the audio may come from a live source.
  var mayBeLive: Bool {
    if case .file = source { return false }
    return isLive || effectiveBackPressure != .wait
  }

  /// The maximum number of utterances that are decoded at the same time.
  var decoderCount: Int {
    mayBeLive || shouldReportPartialResults ? 1 : max(1, jobCount)
  }

  /// The time that an utterance of a live source waits for another channel that reports nothing;
  /// nil for a source that itself waits.
  var longestWait: Duration? {
    guard case .buffer(let limit) = effectiveBackPressure else { return nil }
    return max(limit, endpointPolicy.maximumLength)
  }

  /// Throws `.invalidRequest` for a channel that no source has.
  fileprivate func checkChannels() throws(SpeechClientError) {
    guard case .only(let channel) = channels else { return }
    let captured: [Int]? =
      if case .microphone(let capture) = source { capture.channels } else { nil }
    guard channel < 0 || channel >= captured?.count ?? .max else { return }
    throw .invalidRequest(
      reason: captured.map { "channel \(channel) of \($0.count) captured channels was requested" }
        ?? "channel \(channel) was requested, but channels are counted from 0")
  }

  /// The spelling of the contextual phrases; none with a grammar or key phrases, which have their
  /// own spelling.
  fileprivate var phraseSpelling: PhraseSpelling {
    PhraseSpelling(grammar == nil && keyPhrases.isEmpty ? contextualPhrases : [])
  }

  /// Whether neighboring utterances may be decoded as one.
  ///
  /// This is possible for dictation from a source that is not live. With a grammar or key phrases,
  /// a pause always ends a sentence or phrase, so utterances are not joined.
  fileprivate var allowsJoining: Bool {
    !mayBeLive && endpointPolicy.joinsUtterances && grammar == nil && keyPhrases.isEmpty
  }

  /// Returns the audio; the source is opened when the audio is iterated.
  fileprivate func audio(in lockstep: Lockstep?) -> SpeechTask.Audio {
    let all: SpeechTask.Audio
    switch source {
    case .file(let url): all = SoundFile.buffers(of: url)
    case .buffers(let buffers): all = buffers
    // The capture has only the requested channels.
    case .microphone(let capture): return audio(of: capture, in: lockstep)
    }
    guard case .only(let channel) = channels else { return all }
    return Self.channel(channel, of: all)
  }

  private static func channel(
    _ index: Int, of audio: some AsyncSequence<AudioBuffer, any Error> & Sendable
  ) -> SpeechTask.Audio {
    audio.channels(.channels([index]))
  }
}
