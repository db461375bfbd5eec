public import AudioCore
public import ClientDependencies
public import FoundationEssentials

/// Records from a microphone: to files, or as live buffers.
public struct AudioRecorderClient: Sendable {
  /// The length recorded so far in seconds, by frames; nil while nothing is recorded.
  public var currentTime: @Sendable () async -> TimeInterval? = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("AudioRecorderClient.currentTime", from: origin)
    return nil
  }

  /// Whether this user can open the default capture device now.
  public var requestRecordPermission: @Sendable () async -> Bool = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("AudioRecorderClient.requestRecordPermission", from: origin)
    return false
  }

  /// Records into a file until `stopRecording`; the file's extension decides on its format.
  ///
  /// True when the file is complete and holds at least a frame, also where the device came to its
  /// end by itself; false where nothing was recorded, and there is no file then. Cancelling the
  /// task completes the file and throws `CancellationError`. Throws `AudioRecorderError`.
  public var startRecording: @Sendable (_ url: URL) async throws -> Bool = {
    [origin = IssueOrigin.current] _ in
    throw reportUnimplemented("AudioRecorderClient.startRecording", from: origin)
  }

  /// Ends every recording and returns when their files are closed and on the disk.
  public var stopRecording: @Sendable () async -> Void = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("AudioRecorderClient.stopRecording", from: origin)
  }

  /// The full form: records what the request describes and tells how it goes.
  ///
  /// The stream yields `started`, then what happens as it comes, and ends after `finished`;
  /// cancelling its consumer completes the file. Stopped before the device is open it yields
  /// `finished` alone. Where nothing was recorded there is no file. It throws
  /// `AudioRecorderError`; what was recorded up to there stays, and `closed`, right before the
  /// error, says how much that is.
  public var recording:
    @Sendable (_ request: RecordingRequest) async -> AsyncThrowingStream<RecordingEvent, any Error> =
      { [origin = IssueOrigin.current] _ in
        .finished(throwing: reportUnimplemented("AudioRecorderClient.recording", from: origin))
      }

  /// Live buffers from a microphone until the consumer is cancelled or the device ends.
  ///
  /// Several captures and recordings of a device share one opening of it, and each gets the rate
  /// and the channels that it asks for, converted from the device's for it alone. Where a capture
  /// is the first, the device is opened for everybody: at 44.1 or 48 kHz at least and with two
  /// channels at least, or as near to that as it comes, however little the capture asks for. Where
  /// a recording is the first, the device is opened as the file is to be, so that nothing is
  /// converted; with the first also comes the device's period. Who comes later and asks for more
  /// than the device gives is told what it gives, by the first block's `device` or by
  /// `RecordingStart`.
  ///
  /// A consumer that is slow loses the oldest, and the gap says so; nobody else notices. A request
  /// with the `id` of another that runs throws `AudioRecorderError.idInUse`.
  public var capture:
    @Sendable (_ request: CaptureRequest) async -> AsyncThrowingStream<CapturedAudio, any Error> =
      { [origin = IssueOrigin.current] _ in
        .finished(throwing: reportUnimplemented("AudioRecorderClient.capture", from: origin))
      }

  /// Commands a recording that runs: the one whose request has this `id`.
  ///
  /// A capture with this `id` takes `stop` and nothing else.
  ///
  /// Returns when the recording knows; its events say when it takes effect. Throws
  /// `AudioRecorderError.unknownRecording` where none with that name runs, but for `stop`.
  public var control:
    @Sendable (_ id: RecordingID, _ command: RecordingCommand) async throws -> Void =
      { [origin = IssueOrigin.current] _, _ in
        throw reportUnimplemented("AudioRecorderClient.control", from: origin)
      }

  /// Leaves out what every recording hears from now on; see `RecordingCommand.pause`.
  public var pause: @Sendable () async -> Void = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("AudioRecorderClient.pause", from: origin)
  }

  /// Lets every recording go on after a pause.
  public var resume: @Sendable () async -> Void = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("AudioRecorderClient.resume", from: origin)
  }

  /// The devices that can be recorded from, the default first; none where there is no sound card.
  ///
  /// No device is opened in order to list it. Throws `AudioRecorderError`.
  public var devices: @Sendable () async throws -> [AudioDevice] = {
    [origin = IssueOrigin.current] in
    throw reportUnimplemented("AudioRecorderClient.devices", from: origin)
  }

  /// A client none of whose endpoints is implemented.
  public init() {}
}

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

extension AudioRecorderClient: TestDependencyKey {
  /// A client that reports an issue for every call.
  public static var testValue: AudioRecorderClient { AudioRecorderClient() }

  /// A client whose microphone captures a soft tone at the pace of `\.continuousClock`; it writes no
  /// file.
  public static var previewValue: AudioRecorderClient { .preview() }
}

extension DependencyValues {
  /// The client that records sound.
  public var audioRecorder: AudioRecorderClient {
    get { self[AudioRecorderClient.self] }
    set { self[AudioRecorderClient.self] = newValue }
  }
}
