public import AudioRecorderClient
public import ClientDependencies
import AudioCore

extension AudioRecorderClient: DependencyKey {
  /// A client that records from `\.soundCard`; its recordings and captures of one device share one
  /// opening of it.
  ///
  /// Each access makes a client that stops and controls only its own recordings: keep one, as
  /// `@Dependency` does.
  public static var liveValue: AudioRecorderClient {
    let recorder = AudioRecorder()
    return AudioRecorderClient(
      currentTime: { await recorder.recorded?.inSeconds },
      requestRecordPermission: { await recorder.mayRecord() },
      startRecording: { try await recorder.record(RecordingRequest(url: $0)) },
      stopRecording: { await recorder.stop() },
      recording: { await recorder.recording($0) },
      capture: { await recorder.capture($0) },
      control: { try await recorder.control($0, $1) },
      pause: { await recorder.controlAll(.pause) },
      resume: { await recorder.controlAll(.resume) },
      devices: { try await recorder.devices() })
  }
}
