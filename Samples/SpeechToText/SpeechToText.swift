import ReducersMacros
import Syrinx

/// A feature that turns speech into text while it is spoken.
@Reducer
struct SpeechToText {
  /// The state of the microphone.
  enum Microphone: Equatable, Sendable {
    case closed
    /// The microphone is being opened, while the engine loads its model.
    case opening
    case open(for: Duration)
  }

  /// The transcript.
  @ObservableState
  struct State: Equatable, Sendable {
    /// The final text, one line per utterance.
    var lines: [String] = []
    /// The text of the current utterance; it may still change.
    var draft = ""
    /// The state of the microphone.
    var microphone = Microphone.closed
    /// The alert that is shown.
    @Presents var alert: AlertState<Action.Alert>?

    /// Creates an empty transcript.
    init() {}
  }

  /// The events of the feature.
  enum Action: Sendable {
    case listenTapped
    case authorization(AuthorizationStatus)
    case stopTapped
    case ticked
    case event(SpeechRecognitionEvent)
    case ended
    case failed(String)
    case alert(PresentationAction<Alert>)

    /// The buttons of alerts.
    enum Alert: Equatable, Sendable {
      case tryAgain
    }
  }

  private enum CancelID { case listening }

  @Dependency(\.continuousClock) private var clock
  @Dependency(\.speechClient) private var speech

  /// Creates the feature with the current dependencies.
  init() {}

  /// Starts and stops listening.
  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .listenTapped, .alert(.presented(.tryAgain)):
        guard state.microphone == .closed else { return .none }
        state.microphone = .opening
        return .run { [speech] send in
          await send(.authorization(await speech.requestAuthorization()))
        }
        .cancellable(id: CancelID.listening)
      case .authorization(.authorized):
        state.microphone = .open(for: .zero)
        return .merge(recognition, timer).cancellable(id: CancelID.listening)
      case .authorization(let status): return fail(&state, "\(status)")
      case .stopTapped where state.microphone == .closed: return .none
      case .stopTapped where state.microphone == .opening: return close(&state)
      case .stopTapped: return .run { [speech] _ in await speech.finishTask() }
      case .ticked:
        if case .open(let time) = state.microphone {
          state.microphone = .open(for: time + .seconds(1))
        }
      case .event(let event): state.process(event)
      case .ended: return close(&state)
      case .failed(let reason): return fail(&state, reason)
      case .alert: break
      }
      return .none
    }
    .ifLet(\.$alert, action: \.alert)
  }

  private var recognition: Effect<Action> {
    .run { [speech] send in
      for try await event in await speech.recognition(request: SpeechRequest(microphone: .speech)) {
        await send(.event(event))
      }
      await send(.ended)
    } catch: { error, send in
      await send(.failed("\(error)"))
    }
  }

  private var timer: Effect<Action> {
    .run { [clock] send in
      for await _ in clock.timer(interval: .seconds(1)) { await send(.ticked) }
    }
  }

  private func fail(_ state: inout State, _ reason: String) -> Effect<Action> {
    state.alert = .failed(reason)
    return close(&state)
  }

  private func close(_ state: inout State) -> Effect<Action> {
    (state.microphone, state.draft) = (.closed, "")
    return .cancel(id: CancelID.listening)
  }
}

extension SpeechToText.State {
  fileprivate mutating func process(_ event: SpeechRecognitionEvent) {
    switch event {
    case .result(let result):
      let text = result.bestTranscription.formattedString
      if result.isFinal { lines.append(text) }
      draft = result.isFinal ? "" : text
    // An utterance in which the engine failed ends without a final result.
    case .speechEnded: draft = ""
    default: break
    }
  }
}

extension AlertState<SpeechToText.Action.Alert> {
  static func failed(_ reason: String) -> Self {
    AlertState {
      TextState("Speech cannot be recognized")
    } actions: {
      ButtonState(action: .tryAgain) { TextState("Try again") }
    } message: {
      TextState(reason)
    }
  }
}
