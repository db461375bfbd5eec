import ReducersMacros
import Syrinx

/// A row of the list: a memo that can be played.
@Reducer
struct MemoRow {
  /// The memo and its playhead.
  @ObservableState
  struct State: Equatable, Identifiable, Sendable {
    /// The memo.
    var memo: Memo
    /// The playhead; nil while the memo does not play.
    var playhead: Duration?

    /// The memo's identity.
    var id: Memo.ID { memo.id }
  }

  /// The events of a memo.
  enum Action: Sendable {
    case playTapped
    case stop
    case event(PlaybackEvent)
    case failed(String)
  }

  private enum CancelID { case playback }

  @Dependency(\.audioPlayer) private var player

  /// Starts and stops playing.
  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .playTapped where state.playhead == nil:
        state.playhead = .zero
        return .run { [player, file = state.memo.file] send in
          let request = PlaybackRequest(source: .file(file))
          for try await event in await player.playback(request: request) {
            await send(.event(event))
          }
        } catch: { error, send in
          await send(.failed("\(error)"))
        }
        .cancellable(id: CancelID.playback)
      case .playTapped, .stop:
        state.playhead = nil
        return .cancel(id: CancelID.playback)
      case .event(.started(let start)): state.memo.length = start.announcedDuration
      case .event(.progress(let progress)): state.playhead = progress.time
      case .event(.finished), .failed: state.playhead = nil
      case .event: break
      }
      return .none
    }
  }
}
