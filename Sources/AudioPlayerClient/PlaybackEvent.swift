public import AudioCore

/// What happens during a playback, in order.
///
/// Of what a consumer that is slow has not seen, no more than the newest 64 of a kind are kept;
/// `started` and `finished` are never left out.
///
/// Cases are added over time: a `switch` over them wants a `default`.
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
  /// Another repetition of the item begins, the `count`-th after the first.
  ///
  /// A consumer that is slow sees only the newest.
  case looped(PlaybackProgress, count: Int)
  /// The next item begins.
  ///
  /// Where that is the same item in the list's next round, at most 20 a second.
  case advanced(PlaybackProgress)
  /// `pause` has been heard; the position is the frame that `resume` begins with.
  case paused(PlaybackProgress)
  /// It goes on after a pause.
  case resumed(PlaybackProgress)
  /// `seek` has been heard, or would be but for a pause: the position is where it goes on.
  case sought(PlaybackProgress)
  /// A file ended before its header said, also when it was preloaded; all that there was has been
  /// heard. `announced` is nil where its end is missing though its header promised nothing.
  case shortfall(item: Int, announced: Duration?, decoded: Duration)
  /// This many samples of the current item were NaN or infinite; they are played as silence.
  ///
  /// Those of a preloaded sound are silenced when it is loaded, and not reported. A consumer that is
  /// slow sees the sum.
  case nonFinite(sampleCount: Int)
  /// An item cannot be played, or not to its end; the next one follows.
  ///
  /// The stream throws the first of these errors after the last item.
  case failed(item: Int, AudioPlayerError)
  /// All that plays on the device was together louder than it can be, and was turned down by as
  /// much as this gain says, below 0 dB: the lowest of the last second.
  ///
  /// At most one a second, and one before `finished`. A consumer that is slow sees the lowest.
  case limited(Decibels)
  /// The device is lost, and the playback waits for it, as its request asks.
  case deviceLost
  /// The device is back after so long since the loss was noticed, and the playback goes on.
  ///
  /// A consumer that is slow sees the sum.
  case deviceReturned(gap: Duration)
  /// The last event: nothing of this playback is heard any more.
  ///
  /// It does not come where the stream throws: there the error is the end.
  case finished(PlaybackFinish)
}

/// How a playback began.
public struct PlaybackStart: Hashable, Sendable {
  /// The device that plays.
  public var device: AudioDevice.ID

  /// The rate and channels that the device settled on; the source is converted to them.
  public var format: AudioFormat

  /// How long the first item that can be played says that one repetition of it lasts, nil where it
  /// does not know.
  public var announcedDuration: Duration?

  /// All that the device settled on, nil where there is none, as in a preview.
  public var settings: PCMConfiguration?

  /// The first item that can be played, counted from 0.
  public var item: Int

  /// Describes a start.
  public init(
    device: AudioDevice.ID, format: AudioFormat, announcedDuration: Duration? = nil,
    settings: PCMConfiguration? = nil, item: Int = 0
  ) {
    self.device = device
    self.format = format
    self.announcedDuration = announcedDuration
    self.settings = settings
    self.item = item
  }
}

/// How far a playback is.
public struct PlaybackProgress: Hashable, Sendable {
  /// What has been heard, over all items and repetitions: frames written less those still in the
  /// device.
  ///
  /// It never goes back.
  public var heard: Duration

  /// The item that is heard, counted from 0.
  public var item: Int

  /// The frame of that item's source that is heard, in the source's own rate and counted from its
  /// beginning, whatever its range.
  public var position: FrameCount

  /// The same as a time.
  public var time: Duration

  /// How long the item's source says that it lasts in all, nil where it does not know.
  public var length: Duration?

  /// Describes progress.
  public init(
    heard: Duration, item: Int = 0, position: FrameCount = 0, time: Duration = .zero,
    length: Duration? = nil
  ) {
    self.heard = heard
    self.item = item
    self.position = position
    self.time = time
    self.length = length
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
