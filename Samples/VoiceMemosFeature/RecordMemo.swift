public import AudioCore
public import AudioRecorderClient
import ClientDependencies
public import Foundation
public import ReducersMacros

/// A memo that is being recorded.
@Reducer
public struct RecordMemo {
  /// The recording so far.
  @ObservableState
  public struct State: Equatable, Sendable {
    /// The memo's title.
    public let title: String
    /// The memo's file.
    public let file: URL
    /// The recorded length.
    public var recorded = Duration.zero
    /// The peak of the last levels.
    public var peak = Decibels.silence
  }

  /// The events of a recording.
  public enum Action: Sendable {
    case start
    case stopTapped
    case event(RecordingEvent)
    case failed(String)
  }

  @Dependency(\.audioRecorder) private var recorder

  /// Records until it is stopped.
  public var body: some ReducerOf<Self> {
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
