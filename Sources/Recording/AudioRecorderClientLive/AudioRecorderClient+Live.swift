public import AudioRecorderClient
public import ClientDependencies
public import SoundCard
import AudioCore

extension AudioRecorderClient: DependencyKey {
  /// A client that records from `\.soundCard`; a device is opened once for all its recordings and
  /// captures.
  ///
  /// Each call uses the dependencies that are overridden at the call, or else those of the scope in
  /// which the client was created. Each access creates a client that stops and controls only its
  /// own recordings, so keep one client, as `@Dependency` does.
  public static var liveValue: AudioRecorderClient {
    let (recorder, scope) = (AudioRecorder(), CreationScope())
    return AudioRecorderClient(
      currentTime: { await recorder.recorded?.inSeconds },
      requestRecordPermission: { await scope.run { await recorder.mayRecord() } },
      startRecording: { url in
        try await scope.run { try await recorder.record(RecordingRequest(url: url)) }
      },
      stopRecording: { await recorder.stop() },
      recording: { request in await scope.run { await recorder.recording(request) } },
      capture: { request in await scope.run { await recorder.capture(request) } },
      control: { try await recorder.control($0, $1) },
      pause: { await recorder.controlAll(.pause) },
      resume: { await recorder.controlAll(.resume) },
      devices: { try await scope.run { try await recorder.devices() } })
  }

  /// Creates a live client on a sound card; an override of `\.soundCard` at the call takes
  /// precedence.
  public static func live(on soundCard: SoundCard) -> AudioRecorderClient {
    withDependencies {
      $0.soundCard = soundCard
    } operation: {
      liveValue
    }
  }
}
