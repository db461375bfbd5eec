import Foundation
import ReducersMacros
import Syrinx

/// A feature that records, lists, plays, renames, and deletes memos.
@Reducer
struct VoiceMemos {
  /// The alert or dialog above the list.
  @Reducer
  enum Destination {
    case alert(AlertState<Alert>)
    case record(RecordMemo)
    case rename(RenameMemo)

    /// The buttons of alerts.
    enum Alert: Equatable, Sendable {
      case delete(Memo)
    }
  }

  /// The list of memos.
  @ObservableState
  struct State: Equatable, Sendable {
    /// The memos, newest first.
    var rows: IdentifiedArrayOf<MemoRow.State> = []
    /// The memo to which commands apply.
    var selection: Memo.ID?
    /// The alert or dialog above the list.
    @Presents var destination: Destination.State?

    /// Creates an empty list.
    init() {}
  }

  /// The events of the feature.
  enum Action: Sendable {
    case onAppear
    case loaded([Memo])
    case selectionMoved(by: Int)
    case recordTapped
    case recordingPermitted(title: String, URL)
    case recordingDenied
    case renameTapped
    case renamed(Memo)
    case deleteTapped
    case deleted(Memo)
    case failed(String)
    case quitTapped
    case rows(IdentifiedActionOf<MemoRow>)
    case destination(PresentationAction<Destination.Action>)
  }

  private enum CancelID { case permission }

  @Dependency(\.audioPlayer) private var player
  @Dependency(\.audioRecorder) private var recorder
  @Dependency(\.date.now) private var now
  @Dependency(\.memos) private var memos
  @Dependency(\.timeZone) private var timeZone
  @Dependency(\.uuid) private var uuid

  /// Creates the feature with the current dependencies.
  init() {}

  /// Combines the reducers of the list, of its rows, and of the alert or dialog.
  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .onAppear:
        return attempt { [memos] send in await send(.loaded(try await memos.all())) }
      case .loaded(let memos):
        state.rows = IdentifiedArray(uniqueElements: memos.map { MemoRow.State(memo: $0) })
        state.selection = memos.first?.id
      case .selectionMoved(let distance): state.moveSelection(by: distance)
      case .recordTapped where state.destination == nil:
        return stopPlaying(in: state).merge(with: askToRecord())
      case .recordingPermitted(let title, let file) where state.destination == nil:
        state.destination = .record(RecordMemo.State(title: title, file: file))
        return .send(.destination(.presented(.record(.start))))
      case .recordingDenied: state.destination = .alert(.recordingDenied)
      case .renameTapped:
        guard let memo = state.selected?.memo else { return .none }
        state.destination = .rename(RenameMemo.State(memo: memo, title: memo.title))
      case .deleteTapped:
        state.destination = (state.selected?.memo).map { .alert(.delete($0)) }
      case .destination(.presented(.alert(.delete(let memo)))):
        return attempt { [memos] send in
          try await memos.delete(memo: memo)
          await send(.deleted(memo))
        }
      case .deleted(let memo): state.remove(memo.id)
      case .destination(.presented(.record(.event(.finished(let finish))))):
        if finish.frameCount > 0 { state.insertRecorded(finish.recorded, id: uuid()) }
        state.destination = nil
      // The recording up to an error is kept; the error itself follows in another action.
      case .destination(.presented(.record(.event(.closed(let finish))))):
        if finish.frameCount > 0 { state.insertRecorded(finish.recorded, id: uuid()) }
      case .destination(.presented(.rename(.saveTapped))):
        guard case .rename(let rename) = state.destination, !rename.title.isEmpty else { break }
        // The dialog is closed at once, so a second key cannot save again.
        state.destination = nil
        return save(rename)
      case .renamed(let memo): state.rows[id: memo.id]?.memo = memo
      case .rows(.element(let id, .playTapped)): return stopPlaying(in: state, except: id)
      case .destination(.presented(.record(.failed(let reason)))):
        state.destination = .alert(.failed(reason))
      case .failed(let reason), .rows(.element(_, .failed(let reason))):
        // An alert would replace the recording, which would then end without a memo.
        if case .record = state.destination { break }
        state.destination = .alert(.failed(reason))
      case .quitTapped:
        return .run { [player, recorder] _ in
          await recorder.stopRecording()
          await player.stop()
        }
      case .recordTapped, .recordingPermitted, .rows, .destination: break
      }
      return .none
    }
    .forEach(\.rows, action: \.rows) { MemoRow() }
    .ifLet(\.$destination, action: \.destination)
  }

  private func askToRecord() -> Effect<Action> {
    let time = Date.ISO8601FormatStyle(timeZone: timeZone).dateTimeSeparator(.space)
      .year().month().day().time(includingFractionalSeconds: false)
    let title = "Memo \(now.formatted(time))"
    return attempt { [memos, recorder] send in
      guard await recorder.requestRecordPermission() else { return await send(.recordingDenied) }
      await send(.recordingPermitted(title: title, try await memos.file(title: title)))
    }
    .cancellable(id: CancelID.permission, cancelInFlight: true)
  }

  private func save(_ rename: RenameMemo.State) -> Effect<Action> {
    guard rename.title != rename.memo.title else { return .none }
    return attempt { [memos] send in
      var memo = rename.memo
      memo.file = try await memos.rename(memo: memo, title: rename.title)
      memo.title = rename.title
      await send(.renamed(memo))
    }
  }

  private func stopPlaying(in state: State, except id: Memo.ID? = nil) -> Effect<Action> {
    .merge(
      state.rows.filter { $0.playhead != nil && $0.id != id }
        .map { .send(.rows(.element(id: $0.id, action: .stop))) })
  }

  /// Returns an effect whose error becomes an alert.
  private func attempt(
    _ operation: @escaping @Sendable (Send<Action>) async throws -> Void
  ) -> Effect<Action> {
    .run(operation: operation) { error, send in await send(.failed("\(error)")) }
  }
}

extension VoiceMemos.Destination.State: Equatable, Sendable {}
extension VoiceMemos.Destination.Action: Sendable {}
