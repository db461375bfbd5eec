public import AudioCore
public import FoundationEssentials

extension AudioRecorderClient {
  /// A client from its endpoints.
  public init(
    currentTime: @escaping @Sendable () async -> TimeInterval?,
    requestRecordPermission: @escaping @Sendable () async -> Bool,
    startRecording: @escaping @Sendable (_ url: URL) async throws -> Bool,
    stopRecording: @escaping @Sendable () async -> Void,
    recording:
      @escaping @Sendable (_ request: RecordingRequest) async
      -> AsyncThrowingStream<RecordingEvent, any Error>,
    capture:
      @escaping @Sendable (_ request: CaptureRequest) async
      -> AsyncThrowingStream<CapturedAudio, any Error>,
    control:
      @escaping @Sendable (_ id: RecordingID, _ command: RecordingCommand) async throws -> Void,
    pause: @escaping @Sendable () async -> Void,
    resume: @escaping @Sendable () async -> Void,
    devices: @escaping @Sendable () async throws -> [AudioDevice]
  ) {
    self.currentTime = currentTime
    self.requestRecordPermission = requestRecordPermission
    self.startRecording = startRecording
    self.stopRecording = stopRecording
    self.recording = recording
    self.capture = capture
    self.control = control
    self.pause = pause
    self.resume = resume
    self.devices = devices
  }

  /// Records into a file until `stopRecording`; see the endpoint `startRecording`.
  public func startRecording(url: URL) async throws -> Bool {
    try await startRecording(url)
  }

  /// Records what the request describes and tells how it goes; see the endpoint `recording`.
  public func recording(
    request: RecordingRequest
  ) async -> AsyncThrowingStream<RecordingEvent, any Error> {
    await recording(request)
  }

  /// Live buffers from a microphone; see the endpoint `capture`.
  public func capture(
    request: CaptureRequest
  ) async -> AsyncThrowingStream<CapturedAudio, any Error> {
    await capture(request)
  }

  /// Commands a recording that runs; see the endpoint `control`.
  public func control(id: RecordingID, command: RecordingCommand) async throws {
    try await control(id, command)
  }
}
