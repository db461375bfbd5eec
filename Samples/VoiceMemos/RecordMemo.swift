import Foundation
import ReducersMacros
import Syrinx

/// A memo that is being recorded.
@Reducer
struct RecordMemo {
  /// The recording so far.
  @ObservableState
  struct State: Equatable, Sendable {
    /// The memo's title.
    let title: String
    /// The memo's file.
    let file: URL
    /// The recorded length.
    var recorded = Duration.zero
    /// The peak in the latest level event.
    var peak = Decibels.silence
  }

  /// The events of a recording.
  enum Action: Sendable {
    case start
    case stopTapped
    case event(RecordingEvent)
    case failed(String)
  }

  @Dependency(\.audioRecorder) private var recorder

  /// Records until the recording is stopped.
  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start:
        return .run { [recorder, file = state.file] send in
          for try await event in await recorder.recording(request: RecordingRequest(url: file)) {
            await send(.event(event))
          }
        } catch: { error, send in
          await send(.failed("\(error)"))
        }
      case .stopTapped: return .run { [recorder] _ in await recorder.stopRecording() }
      case .event(.levels(let levels)):
        (state.recorded, state.peak) = (levels.recorded, levels.level.peak)
      case .event, .failed: break
      }
      return .none
    }
  }
}
