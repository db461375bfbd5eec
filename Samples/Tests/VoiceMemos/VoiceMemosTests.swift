import Foundation
import ReducersMacros
import SyrinxTestSupport
import Testing

@testable import VoiceMemos

/// Tests the feature on scripted clients: each test replaces only the endpoints that it needs.
@MainActor @Suite(.timeLimit(.minutes(1))) struct VoiceMemosTests {
  let song = Memo(id: UUID(10), title: "Song", file: URL(filePath: "Song.wav"))
  let list = Memo(id: UUID(11), title: "List", file: URL(filePath: "List.wav"))

  @Test func `the list is loaded, and the selection cannot leave it`() async {
    let store = TestStore(initialState: VoiceMemos.State()) {
      VoiceMemos()
    } withDependencies: {
      $0.memos.all = { [song, list] in [song, list] }
    }
    await store.send(.onAppear)
    await store.receive(\.loaded, [song, list]) {
      $0.rows = [MemoRow.State(memo: song), MemoRow.State(memo: list)]
      $0.selection = song.id
    }
    await store.send(.selectionMoved(by: 1)) { $0.selection = list.id }
    await store.send(.selectionMoved(by: 1))
  }

  @Test func `a recording shows its time and becomes the first memo`() async {
    let (events, microphone) = AsyncThrowingStream<RecordingEvent, any Error>.makeStream()
    let store = store {
      $0.audioRecorder.requestRecordPermission = { true }
      $0.audioRecorder.recording = { _ in events }
      $0.audioRecorder.stopRecording = {
        microphone.yield(
          .finished(.init(reason: .stopped, frameCount: 48_000, recorded: .seconds(1))))
        microphone.finish()
      }
      $0.date.now = Date(timeIntervalSince1970: 0)
      $0.memos.file = { URL(filePath: "\($0).wav") }
      $0.timeZone = .gmt
      $0.uuid = .incrementing
    }
    let title = "Memo 1970-01-01 00:00:00"
    let file = URL(filePath: "\(title).wav")
    await store.send(.recordTapped)
    await store.receive(\.recordingPermitted) {
      $0.destination = .record(RecordMemo.State(title: title, file: file))
    }
    await store.receive(\.destination.record.start)
    let level = AudioLevel(peak: Decibels(-6), rms: Decibels(-9))
    microphone.yield(.levels(RecordingLevels(recorded: .milliseconds(100), level: level)))
    await store.receive(\.destination.record.event) {
      $0.destination = .record(
        RecordMemo.State(
          title: title, file: file, recorded: .milliseconds(100), peak: Decibels(-6)))
    }
    await store.send(.destination(.presented(.record(.stopTapped))))
    await store.receive(\.destination.record.event) {
      $0.destination = nil
      let memo = Memo(id: UUID(0), title: title, file: file, length: .seconds(1))
      $0.rows.insert(MemoRow.State(memo: memo), at: 0)
      $0.selection = UUID(0)
    }
  }

  @Test func `without permission, an alert is shown instead of a recording`() async {
    let store = store {
      $0.audioRecorder.requestRecordPermission = { false }
      $0.date.now = Date(timeIntervalSince1970: 0)
      $0.timeZone = .gmt
    }
    await store.send(.recordTapped)
    await store.receive(\.recordingDenied) { $0.destination = .alert(.recordingDenied) }
    await store.send(.destination(.dismiss)) { $0.destination = nil }
  }

  @Test func `playing moves the playhead, and playing another memo stops the first memo`() async {
    let (events, player) = AsyncThrowingStream<PlaybackEvent, any Error>.makeStream()
    let store = store {
      $0.audioPlayer.playback = { [song] request in
        guard case .file(song.file) = request.source else {
          return AsyncThrowingStream { $0.finish(throwing: NoSound()) }
        }
        return events
      }
    }
    await store.send(.rows(.element(id: song.id, action: .playTapped))) {
      $0.rows[id: song.id]?.playhead = .zero
    }
    player.yield(.progress(PlaybackProgress(played: .seconds(1), time: .seconds(1))))
    await store.receive(\.rows[id: song.id].event) {
      $0.rows[id: song.id]?.playhead = .seconds(1)
    }
    await store.send(.rows(.element(id: list.id, action: .playTapped))) {
      $0.rows[id: list.id]?.playhead = .zero
    }
    await store.receive(\.rows[id: song.id].stop) { $0.rows[id: song.id]?.playhead = nil }
    await store.receive(\.rows[id: list.id].failed, "no sound") {
      $0.rows[id: list.id]?.playhead = nil
      $0.destination = .alert(.failed("no sound"))
    }
  }

  @Test
  func `during a permission request or a recording, another tap or failure has no effect`() async {
    let clock = TestClock()
    let (events, microphone) = AsyncThrowingStream<RecordingEvent, any Error>.makeStream()
    let store = store {
      $0.audioRecorder.requestRecordPermission = {
        try? await clock.sleep(for: .seconds(1))
        return true
      }
      $0.audioRecorder.recording = { _ in events }
      $0.date.now = Date(timeIntervalSince1970: 0)
      $0.memos.file = { URL(filePath: "\($0).wav") }
      $0.timeZone = .gmt
    }
    await store.send(.recordTapped)
    await store.send(.recordTapped)
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(1))
    let title = "Memo 1970-01-01 00:00:00"
    let file = URL(filePath: "\(title).wav")
    await store.receive(\.recordingPermitted) {
      $0.destination = .record(RecordMemo.State(title: title, file: file))
    }
    await store.receive(\.destination.record.start)
    await store.send(.recordTapped)
    await store.send(.recordingPermitted(title: "Another", file))
    await store.send(.failed("no sound"))
    microphone.finish(throwing: NoSound())
    await store.receive(\.destination.record.failed, "no sound") {
      $0.destination = .alert(.failed("no sound"))
    }
  }

  @Test func `a memo gets its new title after the dialog is closed`() async {
    let store = store {
      $0.memos.rename = { _, title in URL(filePath: "\(title).wav") }
    }
    var renamed = song
    (renamed.title, renamed.file) = ("Songs", URL(filePath: "Songs.wav"))
    await store.send(.renameTapped) {
      $0.destination = .rename(RenameMemo.State(memo: song, title: "Song"))
    }
    await store.send(.destination(.presented(.rename(.set(\.title, "Songs"))))) {
      $0.destination = .rename(RenameMemo.State(memo: song, title: "Songs"))
    }
    await store.send(.destination(.presented(.rename(.saveTapped)))) { $0.destination = nil }
    await store.receive(\.renamed, renamed) { $0.rows[id: song.id]?.memo = renamed }
  }

  @Test func `a memo keeps its title if the new title is empty, the same, or rejected`() async {
    let store = store { $0.memos.rename = { _, _ in throw NoSound() } }
    await store.send(.renameTapped) {
      $0.destination = .rename(RenameMemo.State(memo: song, title: "Song"))
    }
    await store.send(.destination(.presented(.rename(.saveTapped)))) { $0.destination = nil }
    await store.send(.renameTapped) {
      $0.destination = .rename(RenameMemo.State(memo: song, title: "Song"))
    }
    await store.send(.destination(.presented(.rename(.set(\.title, ""))))) {
      $0.destination = .rename(RenameMemo.State(memo: song, title: ""))
    }
    await store.send(.destination(.presented(.rename(.saveTapped))))
    await store.send(.destination(.presented(.rename(.set(\.title, "Songs"))))) {
      $0.destination = .rename(RenameMemo.State(memo: song, title: "Songs"))
    }
    await store.send(.destination(.presented(.rename(.saveTapped)))) { $0.destination = nil }
    await store.receive(\.failed, "no sound") { $0.destination = .alert(.failed("no sound")) }
  }

  @Test func `a confirmed alert deletes the memo and selects the next memo`() async {
    let store = store { $0.memos.delete = { _ in } }
    await store.send(.deleteTapped) { $0.destination = .alert(.delete(song)) }
    await store.send(.destination(.presented(.alert(.delete(song))))) { $0.destination = nil }
    await store.receive(\.deleted, song) {
      $0.rows.remove(id: song.id)
      $0.selection = list.id
    }
  }

  @Test func `a memo that cannot be deleted stays in the list`() async {
    let store = store { $0.memos.delete = { _ in throw NoSound() } }
    await store.send(.deleteTapped) { $0.destination = .alert(.delete(song)) }
    await store.send(.destination(.presented(.alert(.delete(song))))) { $0.destination = nil }
    await store.receive(\.failed, "no sound") { $0.destination = .alert(.failed("no sound")) }
  }

  /// Returns a store with two memos, the first of which is selected.
  private func store(
    withDependencies prepare: (inout DependencyValues) -> Void
  ) -> TestStore<VoiceMemos.State, VoiceMemos.Action> {
    var state = VoiceMemos.State()
    state.rows = [MemoRow.State(memo: song), MemoRow.State(memo: list)]
    state.selection = song.id
    return TestStore(initialState: state) {
      VoiceMemos()
    } withDependencies: {
      prepare(&$0)
    }
  }
}

private struct NoSound: Error, CustomStringConvertible {
  var description: String { "no sound" }
}
