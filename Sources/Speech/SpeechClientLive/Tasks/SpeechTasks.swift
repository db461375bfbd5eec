import AudioCore
import AudioThreads
import ClientDependencies
import SoundCard
import SoundFile
import SpeechClient
import SpeechEngine
import Synchronization

/// The tasks of one client.
final class SpeechTasks: Sendable {
  // The lock is held to add and remove a task.
  private let running = Mutex<[ObjectIdentifier: SpeechTask]>([:])
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
      let recognizer = try recognizers(for: request)
      guard request.channels != .separate else {
        try channelTasks(of: request, into: events, lockstep, recognizer)
          .start(request.audio(in: lockstep))
        return events
      }
      let task = task(of: request, events, lockstep)
      task.start(request.audio(in: lockstep), recognizer: try recognizer(task, nil))
      register(task)
    } catch {
      events.finish(throwing: SpeechClientError.mapped(error))
    }
    return events
  }

  private func task(
    of request: SpeechRequest, _ events: EventPipe, _ lockstep: Lockstep?,
    in group: ChannelTasks? = nil
  ) -> SpeechTask {
    SpeechTask(
      request.effectiveBackPressure, events: events, clock: clock, lockstep: lockstep, group: group
    ) { [weak self] in self?.forget($0) }
  }

  private func channelTasks(
    of request: SpeechRequest, into events: EventPipe, _ lockstep: Lockstep?,
    _ recognizer: @escaping RecognizerMaker
  ) -> ChannelTasks {
    let isSequential = request.shouldReportPartialResults && !request.mayBeLive
    return ChannelTasks(
      into: events,
      threadLimit: request.mayBeLive ? .max : isSequential ? 1 : max(1, request.jobCount),
      lockstep: lockstep
    ) { [self] group, executor, channelEvents in
      let task = task(of: request, channelEvents, lockstep, in: group)
      let recognizer = try recognizer(task, executor)
      register(task)
      return (task, recognizer)
    }
  }

  /// From here on, `finishAll` finds the task; a task that is already over is not added.
  private func register(_ task: SpeechTask) {
    running.withLock { if !task.isOver { $0[ObjectIdentifier(task)] = task } }
  }

  /// Ends all tasks as if their audio ended now.
  func finishAll() async {
    await withDiscardingTaskGroup { group in
      for task in all {
        group.addTask { await task.finish() }
      }
    }
  }

  /// The tasks that are not over.
  var all: [SpeechTask] { running.withLock { Array($0.values) } }

  /// Makes the recognizer of a task; the executor runs it if it recognizes one of several channels.
  private typealias RecognizerMaker = @Sendable (SpeechTask, ThreadExecutor?) throws -> Recognizer

  /// Returns a function that makes the recognizers of a request, with the caller's engine.
  private func recognizers(for request: SpeechRequest) throws -> RecognizerMaker {
    @Dependency(\.speechEngine) var speechEngine
    @Dependency(\.speechActivityDetector) var currentDetector
    let options = try SpeechSessionOptions(request)
    let chosen = speechEngine.choose(options) ?? speechEngine
    try chosen.checkLanguage(options)
    let (engine, detector) = (chosen.reading(request.grammar), currentDetector)
    return { task, executor in
      try Recognizer(
        engine: engine, options: options, policy: request.endpointPolicy, detector: detector,
        jobCount: executor == nil ? request.decoderCount : 1, isLive: request.mayBeLive,
        joinsUtterances: request.allowsJoining, spelling: request.phraseSpelling,
        events: task.events, control: task.control, channelExecutor: executor)
    }
  }

  private func forget(_ task: SpeechTask) {
    running.withLock { $0[ObjectIdentifier(task)] = nil }
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
  fileprivate var mayBeLive: Bool {
    if case .file = source { return false }
    return isLive || effectiveBackPressure != .wait
  }

  /// The maximum number of utterances that are decoded at the same time.
  fileprivate var decoderCount: Int {
    mayBeLive || shouldReportPartialResults ? 1 : max(1, jobCount)
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
    let all: SpeechTask.Audio =
      switch source {
      case .file(let url): SoundFile.buffers(of: url)
      case .buffers(let buffers): buffers
      case .microphone(let capture): audio(of: capture, in: lockstep)
      }
    guard case .only(let channel) = channels else { return all }
    return Self.channel(channel, of: all)
  }

  private static func channel(
    _ index: Int, of audio: some AsyncSequence<AudioBuffer, any Error> & Sendable
  ) -> SpeechTask.Audio {
    audio.channels(.channels([max(0, index)]))
  }
}
