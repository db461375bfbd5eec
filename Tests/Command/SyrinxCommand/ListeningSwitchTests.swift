import AudioRecorderClient
import Foundation
import SpeechClient
import Synchronization
import TestTools
import Testing

@testable import SyrinxCommand

@Suite struct ListeningStateTests {
  private static let toggle = { @Sendable (isOn: Bool) in !isOn }
  private static let off = { @Sendable (_: Bool) in false }

  @Test func `toggling begins and ends sessions, and switching off begins none`() {
    var state = ListeningState()
    let actions = [
      state.set(Self.off, next: "a"), state.set(Self.toggle, next: "b"),
      state.set(Self.toggle, next: "c"), state.set(Self.off, next: "d"),
    ]
    #expect(actions == [nil, .begin("b"), .end("b"), nil])
    #expect(state.session == nil)
  }

  @Test func `after the end, nothing switches listening on`() {
    var state = ListeningState()
    _ = state.set(Self.toggle, next: "a")
    state.finish()
    #expect(state.session == nil)
    let action = state.set(Self.toggle, next: "b")
    #expect(action == nil)
  }

  @Test func `a session that ends by itself switches off, unless a later session listens`() {
    var state = ListeningState()
    _ = state.set(Self.toggle, next: "a")
    let isOffAfterFirst = state.over("a")
    #expect(isOffAfterFirst)
    _ = state.set(Self.toggle, next: "b")
    _ = state.set(Self.off, next: "c")
    _ = state.set(Self.toggle, next: "d")
    let isOffAfterSecond = state.over("b")
    #expect(!isOffAfterSecond)
    #expect(state.session == "d")
  }

  @Test func `listening stays off while three sessions are still being recognized`() {
    var state = ListeningState()
    for id in ["a", "b", "c"] as [RecordingID] {
      _ = state.set(Self.toggle, next: id)
      _ = state.set(Self.off, next: id)
    }
    let refused = state.set(Self.toggle, next: "d")
    #expect(refused == .refuse)
    _ = state.over("a")
    let accepted = state.set(Self.toggle, next: "d")
    #expect(accepted == .begin("d"))
  }
}

@Suite(.timeLimit(.minutes(5)))
struct ListeningSwitchTests {
  private let folder: TestFolder
  private let error: TestFolder.Output
  private let console: Console

  init() throws {
    folder = try TestFolder()
    error = try folder.output()
    console = try Console(
      output: .output,
      error: OutputDescriptor(rawValue: error.handle.fileDescriptor, name: "standard error"))
  }

  @Test func `the next session begins while the results of the last one are not complete`()
    async throws
  {
    let sessions = Mutex<[ListeningSwitch.Events.Continuation]>([])
    let listening = ListeningSwitch(console: console) { _, whenOpen in
      let (events, session) = ListeningSwitch.Events.makeStream()
      sessions.withLock { $0.append(session) }
      await whenOpen()
      return events
    } end: { _ in
    }
    let following = Task {
      try await listening.forEachSession { events in
        for try await _ in events {}
      } whenFailed: { _ in
      }
    }
    for _ in 1...3 { await listening.set { !$0 } }
    #expect(sessions.withLock(\.count) == 2)
    listening.finish()
    for session in sessions.withLock(\.self) { session.finish() }
    #expect(try await following.value)
    let lines = try error.text().split(separator: "\n")
    #expect(lines.count { $0.hasSuffix("listening is on") } == 2)
  }

  @Test func `a microphone that opens after switching off is closed without an announcement`()
    async throws
  {
    let holder = Mutex<ListeningSwitch?>(nil)
    let ended = Mutex<[RecordingID]>([])
    let listening = ListeningSwitch(console: console) { _, whenOpen in
      await holder.withLock(\.self)?.set { _ in false }
      await whenOpen()
      return ListeningSwitch.Events { $0.finish() }
    } end: { id in
      ended.withLock { $0.append(id) }
    }
    holder.withLock { $0 = listening }
    await listening.set { !$0 }
    #expect(ended.withLock(\.count) == 2)
    #expect(try error.text().isEmpty)
  }
}
