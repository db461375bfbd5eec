import ClientDependencies
import SpeechClient
import Synchronization

/// A script on its way, for one consumer.
final class ScriptedTask: Sendable {
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

  /// Everything that is told.
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

  /// What is told of a step; nil where nobody wants it.
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
