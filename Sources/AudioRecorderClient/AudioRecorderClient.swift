import ClientDependencies
public import Foundation

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
  /// end by itself; false where nothing was recorded. Cancelling the task completes the file and throws `CancellationError`. Throws
  /// `AudioRecorderError`.
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
  /// The stream yields `started`, then `levels` and `xrun` as they come, and ends after `finished`;
  /// cancelling its consumer completes the file. Stopped before the device is open it yields
  /// `finished` alone, and there is no file. It throws `AudioRecorderError`; what was recorded up to
  /// there stays.
  public var recording:
    @Sendable (_ request: RecordingRequest) async -> AsyncThrowingStream<RecordingEvent, any Error> =
      { [origin = IssueOrigin.current] _ in
        .finished(throwing: reportUnimplemented("AudioRecorderClient.recording", from: origin))
      }

  /// Live buffers from a microphone until the consumer is cancelled or the device ends.
  public var capture:
    @Sendable (_ request: CaptureRequest) async -> AsyncThrowingStream<CapturedAudio, any Error> =
      { [origin = IssueOrigin.current] _ in
        .finished(throwing: reportUnimplemented("AudioRecorderClient.capture", from: origin))
      }

  /// A client none of whose endpoints is implemented.
  public init() {}
}
