@_exported public import AudioCore
public import ClientDependencies
public import FoundationEssentials

/// Records a microphone to files, or captures live buffers.
public struct AudioRecorderClient: Sendable {
  /// The recorded length in seconds, counted in frames; nil while nothing is recorded.
  public var currentTime: @Sendable () async -> TimeInterval? = unimplemented(
    endpoint: "AudioRecorderClient.currentTime"
  ) { _ in nil }

  /// Whether this user can open the default capture device now.
  public var requestRecordPermission: @Sendable () async -> Bool = unimplemented(
    endpoint: "AudioRecorderClient.requestRecordPermission"
  ) { _ in false }

  /// Records into a file until `stopRecording`; the extension selects the format.
  ///
  /// Returns true if the file is complete and contains at least one frame, even if the device
  /// ended. Returns false if nothing was recorded; there is then no file. Canceling the task
  /// completes the file and throws `CancellationError`. Throws `AudioRecorderError`.
  public var startRecording: @Sendable (_ url: URL) async throws -> Bool = unimplemented(
    endpoint: "AudioRecorderClient.startRecording")

  /// Ends all recordings and returns when their files are closed and on disk.
  public var stopRecording: @Sendable () async -> Void = unimplemented(
    endpoint: "AudioRecorderClient.stopRecording"
  ) { _ in }

  /// Records a request and reports its events.
  ///
  /// The stream yields `started`, then events in order, and ends after `finished`. Canceling its
  /// consumer completes the file: `next()` then skips to `finished` and returns it when the file
  /// and the device are closed. If the recording is stopped before the device opens, the stream
  /// yields only `finished`. If nothing was recorded, there is no file. The stream throws
  /// `AudioRecorderError` after the event `closed`, which reports the length of the audio in the
  /// files.
  public var recording:
    @Sendable (_ request: RecordingRequest) async -> AsyncThrowingStream<RecordingEvent, any Error> =
      unimplemented(endpoint: "AudioRecorderClient.recording") { .finished(throwing: $0) }

  /// Captures live buffers until the consumer is canceled or the device ends.
  ///
  /// The `next()` of a canceled consumer returns nil when its capture has ended.
  ///
  /// A device is opened once for all its captures and recordings, at most 4,096; each gets its own
  /// rate and channels, converted from the device's. The first user opens the device and determines
  /// its format and period. A capture opens it with at least two channels and at least 44.1 kHz, so
  /// that the format suits other users. A recording opens it in the file's format, so that nothing
  /// is converted. `CapturedAudio.device` and `RecordingStart` report the device's format, which
  /// may be lower than a later user's.
  ///
  /// A slow consumer loses the oldest audio, and `gap` reports the loss; other consumers lose
  /// nothing. A request whose `id` is in use throws `AudioRecorderError.idInUse`.
  public var capture:
    @Sendable (_ request: CaptureRequest) async -> AsyncThrowingStream<CapturedAudio, any Error> =
      unimplemented(endpoint: "AudioRecorderClient.capture") { .finished(throwing: $0) }

  /// Sends a command to the running recording with this `id`.
  ///
  /// A capture with this `id` accepts only `stop`. The call returns when the recording has received
  /// the command; the recording's events report when the command takes effect. Throws
  /// `AudioRecorderError.unknownRecording` if no recording has this ID, except for `stop`.
  public var control:
    @Sendable (_ id: RecordingID, _ command: RecordingCommand) async throws -> Void = unimplemented(
      endpoint: "AudioRecorderClient.control")

  /// Pauses all recordings; see `RecordingCommand.pause`.
  public var pause: @Sendable () async -> Void = unimplemented(
    endpoint: "AudioRecorderClient.pause"
  ) { _ in }

  /// Resumes all recordings.
  public var resume: @Sendable () async -> Void = unimplemented(
    endpoint: "AudioRecorderClient.resume"
  ) { _ in }

  /// Lists the capture devices, the default first, without opening them; empty without a sound
  /// card.
  ///
  /// Throws `AudioRecorderError`.
  public var devices: @Sendable () async throws -> [AudioDevice] = unimplemented(
    endpoint: "AudioRecorderClient.devices")

  /// Creates a client whose endpoints are unimplemented.
  public init() {}
}

extension AudioRecorderClient {
  /// Creates a client from its endpoints.
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

  /// Records a request and reports its events; see the endpoint `recording`.
  public func recording(
    request: RecordingRequest
  ) async -> AsyncThrowingStream<RecordingEvent, any Error> {
    await recording(request)
  }

  /// Captures live buffers; see the endpoint `capture`.
  public func capture(
    request: CaptureRequest
  ) async -> AsyncThrowingStream<CapturedAudio, any Error> {
    await capture(request)
  }

  /// Sends a command to a recording; see the endpoint `control`.
  public func control(id: RecordingID, command: RecordingCommand) async throws {
    try await control(id, command)
  }
}

extension AudioRecorderClient: TestDependencyKey {
  /// A client that reports an issue for every call.
  public static var testValue: AudioRecorderClient { AudioRecorderClient() }

  /// A client whose microphone captures a soft tone at the pace of `\.continuousClock`; it writes
  /// no file.
  public static var previewValue: AudioRecorderClient { .preview() }
}

extension DependencyValues {
  /// The client that records sound.
  public var audioRecorder: AudioRecorderClient {
    get { self[AudioRecorderClient.self] }
    set { self[AudioRecorderClient.self] = newValue }
  }
}
