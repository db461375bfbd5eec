public import AudioCore

/// What happens during a recording, in order.
public enum RecordingEvent: Hashable, Sendable {
  /// The device and the file are open.
  case started(RecordingStart)
  /// How loud it was since the last such event, ten times a second; a consumer that is slow sees
  /// only the newest.
  case levels(RecordingLevels)
  /// Audio of this length was lost; the file has silence in its place.
  ///
  /// A consumer that is slow sees the sum.
  case xrun(Duration)
  /// The last event: the file is closed and on the disk.
  case finished(RecordingFinish)
}

/// How a recording began.
public struct RecordingStart: Hashable, Sendable {
  /// The device that records.
  public var device: AudioDevice.ID

  /// The rate and channels that the device settled on.
  public var deviceFormat: AudioFormat

  /// The rate and channels of the file.
  public var fileFormat: AudioFormat

  /// All that the device settled on, nil where there is none, as in a preview.
  public var settings: PCMConfiguration?

  /// Describes a start.
  public init(
    device: AudioDevice.ID, deviceFormat: AudioFormat, fileFormat: AudioFormat,
    settings: PCMConfiguration? = nil
  ) {
    self.device = device
    self.deviceFormat = deviceFormat
    self.fileFormat = fileFormat
    self.settings = settings
  }
}

/// How loud a stretch of a recording was.
public struct RecordingLevels: Hashable, Sendable {
  /// The length recorded so far.
  public var recorded: Duration

  /// Peak and RMS over all channels.
  public var level: AudioLevel

  /// Describes a stretch.
  public init(recorded: Duration, level: AudioLevel) {
    self.recorded = recorded
    self.level = level
  }
}

/// How a recording ended.
public struct RecordingFinish: Hashable, Sendable {
  /// Why it ended.
  public enum Reason: String, Hashable, Sendable {
    /// `stopRecording` was called.
    case stopped
    /// The length that was asked for is recorded.
    case lengthReached
    /// The device came to its end, as a virtual microphone that hears a file does.
    case deviceEnded
  }

  /// Why it ended.
  public var reason: Reason

  /// The frames in the file.
  public var frameCount: FrameCount

  /// The length of the file.
  public var recorded: Duration

  /// Describes an end.
  public init(reason: Reason, frameCount: FrameCount, recorded: Duration) {
    self.reason = reason
    self.frameCount = frameCount
    self.recorded = recorded
  }
}
