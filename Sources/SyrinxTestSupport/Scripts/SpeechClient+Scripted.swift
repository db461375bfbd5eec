import ClientDependencies
public import SpeechClient
import Synchronization

extension SpeechClient {
  /// A client that reports the events of a script at its times, on `\.continuousClock`, whatever audio its
  /// tasks get.
  ///
  /// Each call of `startTask` and `recognition` begins the script anew; their audio is not read.
  /// With a `TestClock` nothing comes before the clock is advanced. As with an engine, `finishTask`
  /// brings the final result of the utterance that has begun, at once, and ends the streams; what
  /// would come later does not. The client is authorized and speaks `en-US`.
  ///
  /// `ScriptedSpeechEngine` follows the audio in place of a clock, below the live client.
  public static func scripted(_ script: SpeechScript) -> SpeechClient {
    let tasks = ScriptedTasks(script.ordered)
    return SpeechClient(
      authorizationStatus: { .authorized },
      requestAuthorization: { .authorized },
      startTask: { tasks.begin($0).results() },
      recognition: { tasks.begin($0).events() },
      finishTask: { tasks.finishAll() },
      supportedLocales: { ["en-US"] },
      engines: {
        [
          SpeechEngineDescription(
            name: "scripted", models: [.init(language: "en-US", location: "script")],
            isInUse: true)
        ]
      })
  }
}

/// The tasks of a scripted client.
private final class ScriptedTasks: Sendable {
  private let steps: [SpeechScript.Step]
  // Held to note a task, and to look at all.
  private let running = Mutex<[Running]>([])

  private struct Running {
    weak var task: ScriptedTask?
  }

  init(_ steps: [SpeechScript.Step]) {
    self.steps = steps
  }

  func begin(_ request: SpeechRequest) -> ScriptedTask {
    let task = ScriptedTask(steps, for: request)
    running.withLock { running in
      running.removeAll { $0.task == nil }
      running.append(Running(task: task))
    }
    return task
  }

  func finishAll() {
    let tasks = running.withLock { $0.compactMap(\.task) }
    for task in tasks { task.finish() }
  }
}

/// A script on its way, for one consumer.
private final class ScriptedTask: Sendable {
  private struct State {
    var rest: ArraySlice<SpeechScript.Step>
    /// The utterance that has begun and not ended.
    var utterance: Int?
    var isFinishing = false
  }

  private let pace: ReplayPace
  private let wantsPartials: Bool
  private let alternativeCount: Int
  // Held to take the next step.
  private let state: Mutex<State>

  /// A script that begins now, on the clock of the caller's context.
  init(_ steps: [SpeechScript.Step], for request: SpeechRequest) {
    @Dependency(\.continuousClock) var clock
    pace = ReplayPace(clock)
    wantsPartials = request.shouldReportPartialResults
    alternativeCount = max(0, request.alternativeCount)
    state = Mutex(State(rest: steps[...]))
  }

  /// All events.
  func events() -> AsyncThrowingStream<SpeechRecognitionEvent, any Error> {
    AsyncThrowingStream { try await self.next() }
  }

  /// The results alone.
  func results() -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    AsyncThrowingStream {
      while let event = try await self.next() {
        if case .result(let result) = event { return result }
      }
      return nil
    }
  }

  /// Lets what ends the utterance come at once, and nothing else.
  func finish() {
    state.withLock { $0.isFinishing = true }
    pace.hurry()
  }

  private func next() async throws -> SpeechRecognitionEvent? {
    while let step = state.withLock({ $0.rest.popFirst() }) {
      do {
        try await pace.wait(until: step.time)
      } catch {
        // A consumer that is cancelled sees the end, as with every stream.
        return nil
      }
      guard let event = try take(step) else { continue }
      return event
    }
    return nil
  }

  /// The event of a step; nil if it was not requested.
  private func take(_ step: SpeechScript.Step) throws -> SpeechRecognitionEvent? {
    let isWanted = state.withLock { state in
      guard state.isFinishing else { return true }
      return step.utterance.map { $0.isClosing && $0.number == state.utterance } ?? false
    }
    guard isWanted else { return nil }
    switch step.action {
    case .end:
      state.withLock { $0.rest = [] }
      return nil
    case .fail(let error):
      state.withLock { $0.rest = [] }
      throw error
    case .tell(let event):
      note(event, of: step)
      return wanted(event)
    }
  }

  private func note(_ event: SpeechRecognitionEvent, of step: SpeechScript.Step) {
    switch event {
    case .speechStarted: state.withLock { $0.utterance = step.utterance?.number }
    case .speechEnded: state.withLock { $0.utterance = nil }
    default: break
    }
  }

  /// The event as the request wants it: perhaps without partial results, with so many readings.
  private func wanted(_ event: SpeechRecognitionEvent) -> SpeechRecognitionEvent? {
    guard case .result(var result) = event else { return event }
    guard result.isFinal || wantsPartials else { return nil }
    result.transcriptions = Array(result.transcriptions.prefix(alternativeCount + 1))
    return .result(result)
  }
}
