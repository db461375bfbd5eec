import AudioCore
import ClientDependencies
public import SpeechClient
import SpeechEngine
import Synchronization

extension SpeechClient {
  /// A client that reports the events of a script, at its times on `\.continuousClock`.
  ///
  /// Each call of `startTask` and `recognition` starts the script again; the requests' audio is not
  /// read. With a `TestClock`, no event is yielded before the clock is advanced. As with an engine,
  /// `finishTask` yields the final result of the current utterance at once and ends the streams
  /// without later events. The client is authorized and recognizes `language`. A request for key
  /// phrases gets only the key phrases in the script.
  ///
  /// To follow the audio instead of a clock, use the live client with a `ScriptedSpeechEngine`.
  public static func scripted(
    _ script: SpeechScript, language: String = "en-US"
  ) -> SpeechClient {
    let model = SpeechModel.scripted(language)
    let tasks = ScriptedTasks(script.ordered, model)
    return SpeechClient(
      authorizationStatus: { .authorized },
      requestAuthorization: { .authorized },
      startTask: { request in tasks.begin(request) { $0.results() } },
      recognition: { request in tasks.begin(request) { $0.events() } },
      finishTask: { tasks.finishAll() },
      supportedLocales: { [language] },
      engines: { [SpeechEngineDescription(name: "scripted", models: [model], isInUse: true)] })
  }
}

/// The tasks of a scripted client.
private final class ScriptedTasks: Sendable {
  private let steps: [SpeechScript.Step]
  private let model: SpeechModel
  // Protects the list of running tasks.
  private let running = Mutex<[Running]>([])

  private struct Running {
    weak var task: ScriptedTask?
  }

  init(_ steps: [SpeechScript.Step], _ model: SpeechModel) {
    (self.steps, self.model) = (steps, model)
  }

  /// Begins a task; its stream throws if the request cannot be met.
  func begin<Element>(
    _ request: SpeechRequest, _ stream: (ScriptedTask) -> AsyncThrowingStream<Element, any Error>
  ) -> AsyncThrowingStream<Element, any Error> {
    let task: ScriptedTask
    do {
      try model.check(language: request.locale)
      task = try ScriptedTask(steps, for: request)
    } catch let error as SpeechEngineError {
      return .finished(throwing: SpeechClientError.unavailable(reason: "\(error)"))
    } catch {
      return .finished(throwing: error)
    }
    running.withLock { running in
      running.removeAll { $0.task == nil }
      running.append(Running(task: task))
    }
    return stream(task)
  }

  func finishAll() {
    let tasks = running.withLock { $0.compactMap(\.task) }
    for task in tasks { task.finish() }
  }
}

/// A running script for one consumer.
private final class ScriptedTask: Sendable {
  private struct State {
    var rest: ArraySlice<SpeechScript.Step>
    /// The current utterance.
    var utterance: Int?
    /// The last partial result of the utterance, if key phrases are requested.
    var spotted: SpeechRecognitionResult?
    var isFinishing = false
  }

  private let pace: ReplayPace
  private let wantsPartials: Bool
  private let alternativeCount: Int
  private let keyPhrases: [KeyPhrase]
  // Protects the remaining steps.
  private let state: Mutex<State>

  /// Starts a script now, on the clock of the caller's context.
  init(_ steps: [SpeechScript.Step], for request: SpeechRequest) throws(SpeechClientError) {
    keyPhrases = try request.checkedKeyPhrases()
    @Dependency(\.continuousClock) var clock
    pace = ReplayPace(clock)
    wantsPartials = request.shouldReportPartialResults
    alternativeCount = max(0, request.alternativeCount)
    state = Mutex(State(rest: steps[...]))
  }

  /// Returns the stream of all events.
  func events() -> AsyncThrowingStream<SpeechRecognitionEvent, any Error> {
    AsyncThrowingStream { try await self.next() }
  }

  /// Returns the stream of results.
  func results() -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    AsyncThrowingStream {
      while let event = try await self.next() {
        if case .result(let result) = event { return result }
      }
      return nil
    }
  }

  /// Ends the script: at once yields the events that end the current utterance, and drops the
  /// others.
  func finish() {
    state.withLock { $0.isFinishing = true }
    pace.hurry()
  }

  private func next() async throws -> SpeechRecognitionEvent? {
    while let step = state.withLock({ $0.rest.popFirst() }) {
      do {
        try await pace.wait(until: step.time)
      } catch {
        // A canceled consumer gets the end of the stream, as with every stream.
        return nil
      }
      guard let event = try perform(step) else { continue }
      return event
    }
    return nil
  }

  /// Performs a step; returns its event, or nil if the consumer does not get one.
  private func perform(_ step: SpeechScript.Step) throws -> SpeechRecognitionEvent? {
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
    case .report(let event):
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

  /// Applies the request's options: partial results, key phrases, and the number of alternatives.
  private func wanted(_ event: SpeechRecognitionEvent) -> SpeechRecognitionEvent? {
    guard case .result(var result) = event else { return event }
    guard result.isFinal || wantsPartials else { return nil }
    guard keyPhrases.isEmpty else { return spotted(result.phrases(keyPhrases)).map { .result($0) } }
    result.transcriptions = Array(result.transcriptions.prefix(alternativeCount + 1))
    return .result(result)
  }

  /// Returns the result if it contains something new; otherwise nil.
  ///
  /// A final result without phrases counts as new if it withdraws a partial result.
  private func spotted(_ result: SpeechRecognitionResult) -> SpeechRecognitionResult? {
    state.withLock { state in
      let last = state.spotted
      let isEmpty = result.bestTranscription.segments.isEmpty
      guard result.isFinal ? !isEmpty || last != nil : !isEmpty && result != last else {
        return nil
      }
      state.spotted = result.isFinal ? nil : result
      return result
    }
  }
}
