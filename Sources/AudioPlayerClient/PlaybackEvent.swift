public import AudioCore

/// What happens during a playback, in order.
public enum PlaybackEvent: Hashable, Sendable {
  /// The device is open and the first frames are on their way.
  case started(PlaybackStart)
  /// So much has been heard; at most 20 a second, and one before `finished` where anything was.
  ///
  /// A consumer that is slow sees only the newest.
  case progress(PlaybackProgress)
  /// Silence of this length was heard instead: the device ran dry, or the machine slept.
  ///
  /// Zero where the device cannot tell how long. A consumer that is slow sees the sum.
  case xrun(Duration)
  /// Silence of this length was inserted, because the source was late.
  ///
  /// A consumer that is slow sees the sum.
  case starved(Duration)
  /// The last event: nothing of this playback is heard any more.
  case finished(PlaybackFinish)
}

/// How a playback began.
public struct PlaybackStart: Hashable, Sendable {
  /// The device that plays.
  public var device: AudioDevice.ID

  /// The rate and channels that the device settled on; the source is converted to them.
  public var format: AudioFormat

  /// How long the source says that one repetition lasts, nil where it does not know.
  public var announcedDuration: Duration?

  /// All that the device settled on, nil where there is none, as in a preview.
  public var settings: PCMConfiguration?

  /// Describes a start.
  public init(
    device: AudioDevice.ID, format: AudioFormat, announcedDuration: Duration? = nil,
    settings: PCMConfiguration? = nil
  ) {
    self.device = device
    self.format = format
    self.announcedDuration = announcedDuration
    self.settings = settings
  }
}

/// How far a playback is.
public struct PlaybackProgress: Hashable, Sendable {
  /// What has been heard, over all repetitions: frames written less those still in the device.
  ///
  /// It never goes back.
  public var heard: Duration

  /// Describes progress.
  public init(heard: Duration) {
    self.heard = heard
  }
}

/// How a playback ended.
public struct PlaybackFinish: Hashable, Sendable {
  /// Why it ended.
  public enum Reason: String, Hashable, Sendable {
    /// The source was heard to its end.
    case completed
    /// `stop` was called.
    case stopped
  }

  /// Why it ended.
  public var reason: Reason

  /// What has been heard, over all repetitions.
  public var heard: Duration

  /// Describes an end.
  public init(reason: Reason, heard: Duration) {
    self.reason = reason
    self.heard = heard
  }
}
