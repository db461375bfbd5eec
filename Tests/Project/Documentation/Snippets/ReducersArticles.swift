import AudioRecorderClient
import ClientDependencies
import Foundation
import ReducersMacros
import Testing

/// The examples of `Reducers.docc`.
@Suite struct ReducersArticlesTests {
  @MainActor
  @Test func `a memo that lost audio shows a problem`() async {
    let store = TestStore(initialState: Memo.State(file: URL(filePath: "memo.wav"))) {
      Memo()
    } withDependencies: {
      $0.audioRecorder.startRecording = { _ in false }
    }
    await store.send(.recordTapped) { $0.isRecording = true }
    await store.receive(\.finished.success, false) {
      $0.isRecording = false
      $0.problem = "Some audio was lost."
    }
  }

  @MainActor
  @Test func `a program follows the states of a store`() async {
    let file = URL(filePath: "memo.wav")
    await withDependencies {
      $0.audioRecorder.startRecording = { _ in true }
    } operation: {
      let store = Store(initialState: Memo.State(file: file)) { Memo() }
      let task = store.send(.recordTapped)
      for await state in store.states where !state.isRecording {
        print(state.problem ?? "recorded")
        break
      }
      await task.finish()
      #expect(store.problem == nil)
    }
  }

  @MainActor
  @Test func `a parent reduces the actions of its child`() async {
    let file = URL(filePath: "memo.wav")
    let store = TestStore(initialState: Desk.State(memo: Memo.State(file: file))) {
      Desk()
    } withDependencies: {
      $0.audioRecorder.startRecording = { _ in true }
    }
    await store.send(.memo(.recordTapped)) { $0.memo.isRecording = true }
    await store.receive(\.memo.finished.success, true) {
      $0.memo.isRecording = false
      $0.saved = [file]
    }
  }
}

@Reducer
struct Memo {
  struct State: Equatable {
    let file: URL
    var isRecording = false
    var problem: String?
  }

  enum Action: Sendable {
    case recordTapped
    case stopTapped
    case finished(Result<Bool, any Error>)
  }

  @Dependency(\.audioRecorder) var recorder

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .recordTapped:
        (state.isRecording, state.problem) = (true, nil)
        return .run { [recorder, file = state.file] send in
          await send(.finished(Result { try await recorder.startRecording(url: file) }))
        }
      case .stopTapped:
        return .run { [recorder] _ in await recorder.stopRecording() }
      case .finished(.success(let isComplete)):
        state.isRecording = false
        if !isComplete { state.problem = "Some audio was lost." }
        return .none
      case .finished(.failure(let error)):
        (state.isRecording, state.problem) = (false, "\(error)")
        return .none
      }
    }
  }
}

@Reducer
struct Desk {
  struct State: Equatable {
    var memo: Memo.State
    var saved: [URL] = []
  }

  enum Action: Sendable {
    case memo(Memo.Action)
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.memo, action: \.memo) { Memo() }
    Reduce { state, action in
      if case .memo(.finished(.success)) = action { state.saved.append(state.memo.file) }
      return .none
    }
  }
}
