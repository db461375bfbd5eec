public import AudioCore

/// What happens during a recording, in order.
///
/// Cases are added over time: a `switch` wants a `default`.
public enum RecordingEvent: Hashable, Sendable {
  /// The device and the file are open.
  case started(RecordingStart)
  /// How loud it was since the last such event, ten times a second; a consumer that is slow sees
  /// only the newest.
  case levels(RecordingLevels)
  /// Audio of this length was lost; what stands in its place is the request's `gaps`. What is lost
  /// in a pause is missed by nobody, and not told.
  ///
  /// A consumer that is slow sees the sum.
  case xrun(Duration)
  /// So many samples of the device were NaN or infinite; they are recorded as silence.
  ///
  /// A consumer that is slow sees the sum.
  case nonFinite(sampleCount: Int)
  /// The disk lasts for less than a minute at the rate at which the file grows.
  ///
  /// It comes again only after there was room for two minutes.
  case diskLow(left: Duration)
  /// It was quieter than the request's `warnBelow` for as long as that says; here is its level.
  ///
  /// The microphone may be switched off. It comes again only after something louder.
  case silentMicrophone(Decibels)
  /// It does not record yet: it waits for a sound or for a command.
  case waiting
  /// What it waited for has come; so much of what was heard before is at the beginning of the file.
  case began(preRoll: Duration)
  /// A pause has begun at this length of the recording.
  case paused(Duration)
  /// It goes on after a pause at this length of the recording.
  case resumed(Duration)
  /// A file is complete, and the next one is written.
  case rolled(RecordingRolled)
  /// An error has ended the recording and is thrown next; what is described here is in its files.
  case closed(RecordingFinish)
  /// The device is lost, and the recording waits for it, as its request asks.
  case deviceLost
  /// The device is back, after so much time of which nothing was heard.
  ///
  /// A consumer that is slow sees the sum.
  case deviceReturned(gap: Duration)
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

  /// Whether the file has a higher rate or more channels than the device gives: it holds no more
  /// than the device's format then.
  ///
  /// Either the device has no more, or somebody who hears it as well has opened it for less.
  public var exceedsDevice: Bool {
    fileFormat.sampleRate > deviceFormat.sampleRate
      || fileFormat.channelCount > deviceFormat.channelCount
  }

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
    /// It was quiet for as long as `endAfterSilence` says.
    case silence
    /// Audio was lost, and `gaps` says to stop then.
    case gap
    /// An error ended it.
    case failed
  }

  /// Why it ended.
  public var reason: Reason

  /// The frames in the file, or in all files together.
  public var frameCount: FrameCount

  /// Their length.
  public var recorded: Duration

  /// Describes an end.
  public init(reason: Reason, frameCount: FrameCount, recorded: Duration) {
    self.reason = reason
    self.frameCount = frameCount
    self.recorded = recorded
  }
}

/// How loud a stretch of a recording was.
public struct RecordingLevels: Hashable, Sendable {
  /// The length recorded so far.
  public var recorded: Duration

  /// Peak and RMS over all channels.
  public var level: AudioLevel

  /// Each channel of the file; none in a preview.
  public var channels: [ChannelLevel]

  /// Describes a stretch.
  public init(recorded: Duration, level: AudioLevel, channels: [ChannelLevel] = []) {
    self.recorded = recorded
    self.level = level
    self.channels = channels
  }
}

/// How loud one channel of a recording was.
public struct ChannelLevel: Hashable, Sendable {
  /// The highest sample of the stretch.
  public var peak: Decibels

  /// The root mean square of the stretch.
  public var rms: Decibels

  /// The highest peak of the last 1.5 seconds, so that a short one can be seen.
  public var heldPeak: Decibels

  /// How many samples of the recording so far were at full scale or beyond, as 16-bit samples are
  /// where something too loud was cut off.
  public var clippedSamples: Int

  /// Describes a channel.
  public init(
    peak: Decibels, rms: Decibels, heldPeak: Decibels? = nil, clippedSamples: Int = 0
  ) {
    self.peak = peak
    self.rms = rms
    self.heldPeak = heldPeak ?? peak
    self.clippedSamples = clippedSamples
  }
}

extension PipePolicy<RecordingEvent> {
  /// Keeps one report of levels, the newest, one xrun, the sum of all, the last loss of the device,
  /// and a bounded number of the rare events: a consumer that does not look costs no memory.
  package static let recording = PipePolicy { queue, event in
    switch event {
    case .levels: queue.append(event, inPlaceOf: \.isLevels)
    case .xrun(let lost): queue.append(adding: lost, to: \.lost, as: RecordingEvent.xrun)
    case .nonFinite(let count):
      queue.append(adding: count, to: \.nonFiniteCount, as: RecordingEvent.nonFinite)
    case .deviceLost: queue.append(event, inPlaceOf: { $0 == event })
    case .deviceReturned(let gap):
      queue.append(adding: gap, to: \.gap, as: RecordingEvent.deviceReturned)
    default:
      if queue.count >= mostEvents { queue.remove(at: 1) }
      queue.append(event)
    }
  }

  /// Beyond that the oldest go, but for the start.
  package static let mostEvents = 1_000
}

extension RecordingEvent {
  fileprivate var isLevels: Bool {
    if case .levels = self { true } else { false }
  }

  fileprivate var gap: Duration? {
    if case .deviceReturned(let gap) = self { gap } else { nil }
  }

  fileprivate var nonFiniteCount: Int? {
    if case .nonFinite(let count) = self { count } else { nil }
  }

  fileprivate var lost: Duration? {
    if case .xrun(let lost) = self { lost } else { nil }
  }
}
