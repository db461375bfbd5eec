import Foundation
import ReducersMacros
import Syrinx
import SyrinxTestSupport
import Testing

@testable import VoiceMemos

/// Tests the feature on the real recorder, player, and folder, with a sound card in memory.
@MainActor @Suite(.timeLimit(.minutes(1))) struct VirtualCardTests {
  @Test func `a memo is recorded to a file, renamed, played to its end, and deleted`() async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let spoken = AudioSignal.sine(440, amplitude: 0.5).buffer(.seconds(2), format: .speech)
    // The microphone ends after two seconds, which take no real time.
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(spoken))
    let store = TestStore(initialState: VoiceMemos.State()) {
      VoiceMemos()
    } withDependencies: {
      $0.audioPlayer = .liveValue
      $0.audioRecorder = .liveValue
      $0.continuousClock = ContinuousClock()
      $0.date.now = Date(timeIntervalSince1970: 0)
      $0.memos = .folder(folder)
      $0.playbackIdleTime = .zero
      $0.soundCard = card.soundCard
      $0.timeZone = .gmt
      $0.uuid = .incrementing
    }
    (store.exhaustivity, store.timeout) = (.off, .seconds(240))

    await store.send(.recordTapped)
    await store.receive(where: \.isRecorded)
    let memo = try #require(store.state.selected?.memo)
    #expect(memo.length == .seconds(2))

    await store.send(.renameTapped)
    await store.send(.destination(.presented(.rename(.set(\.title, "Song")))))
    await store.send(.destination(.presented(.rename(.saveTapped))))
    await store.receive(\.renamed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Song.wav"])

    await store.send(.rows(.element(id: memo.id, action: .playTapped)))
    await store.receive(where: \.isPlayed)
    #expect(store.state.selected?.playhead == nil)
    let played = try #require(card.played.first)
    #expect(played.level.peak > Decibels(-7))

    await store.send(.deleteTapped)
    let song = try #require(store.state.selected?.memo)
    await store.send(.destination(.presented(.alert(.delete(song)))))
    await store.receive(\.deleted)
    #expect(store.state.rows.isEmpty && store.state.selection == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    await store.finish()
  }

  @Test func `if the microphone is unplugged, the memo so far is kept, and an alert is shown`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let card = VirtualSoundCard(
      pace: .untimed, microphone: .signal(.sine(440, amplitude: 0.5)),
      faults: [.unplugged(at: 48_000)])
    let store = TestStore(initialState: VoiceMemos.State()) {
      VoiceMemos()
    } withDependencies: {
      $0.audioRecorder = .liveValue
      $0.continuousClock = ContinuousClock()
      $0.date.now = Date(timeIntervalSince1970: 0)
      $0.memos = .folder(folder)
      $0.soundCard = card.soundCard
      $0.timeZone = .gmt
      $0.uuid = .incrementing
    }
    (store.exhaustivity, store.timeout) = (.off, .seconds(240))
    await store.send(.recordTapped)
    await store.receive(\.destination.record.failed)
    let memo = try #require(store.state.selected?.memo)
    #expect(FileManager.default.fileExists(atPath: memo.file.path))
    #expect(store.state.destination?.is(\.alert) == true)
    await store.finish()
  }

  @Test func `the folder lists memos with their lengths, and refuses titles in use`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let memos = MemosClient.folder(folder)
    let none = try await withDependencies {
      $0.uuid = .incrementing
    } operation: {
      try await memos.all()
    }
    #expect(none == [])
    let file = try await memos.file(title: "Noise")
    try Data("no sound".utf8).write(to: file)
    let listed = try await withDependencies {
      $0.uuid = .incrementing
    } operation: {
      try await memos.all()
    }
    #expect(listed == [Memo(id: UUID(0), title: "Noise", file: file)])
    let dates = [
      ("Old", 1, Date(timeIntervalSince1970: 1)), ("New", 2, Date(timeIntervalSinceNow: 3_600)),
    ]
    for (title, seconds, date) in dates {
      let file = try await memos.file(title: title)
      let writer = try SoundFileWriter(url: file, format: .speech, encoding: .wav16)
      try writer.write(
        AudioSignal.sine(440, amplitude: 0.5).buffer(.seconds(seconds), format: .speech))
      try writer.close()
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
    }
    let sorted = try await withDependencies {
      $0.uuid = .incrementing
    } operation: {
      try await memos.all()
    }
    #expect(sorted.map(\.title) == ["New", "Noise", "Old"])
    #expect(sorted.map(\.length) == [.seconds(2), nil, .seconds(1)])
    await #expect(throws: MemosError.titleInUse("Noise")) { try await memos.file(title: "Noise") }
    await #expect(throws: MemosError.badTitle("a/b")) { try await memos.file(title: "a/b") }
  }
}

extension TestStore where Action == VoiceMemos.Action {
  fileprivate func receive(where isMeant: (Action) -> Bool) async { await receive(isMeant) }
}

extension VoiceMemos.Action {
  fileprivate var isRecorded: Bool {
    if case .destination(.presented(.record(.event(.finished)))) = self { true } else { false }
  }

  fileprivate var isPlayed: Bool {
    if case .rows(.element(_, .event(.finished))) = self { true } else { false }
  }
}
