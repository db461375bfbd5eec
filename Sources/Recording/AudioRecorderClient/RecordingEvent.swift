public import AudioCore
public import FoundationEssentials

/// An event of a recording; events arrive in order.
///
/// Cases are added over time: a `switch` needs a `default`.
public enum RecordingEvent: Hashable, Sendable {
  /// The device and the file are open.
  case started(RecordingStart)
  /// The levels since the previous `levels` event, ten times a second; a slow consumer gets only
  /// the newest of these events.
  case levels(RecordingLevels)
  /// Audio of this length was lost; the request's `gaps` determines how the gap is filled.
  ///
  /// Losses during a pause are not reported. A slow consumer gets one event with the sum.
  case xrun(Duration)
  /// `sampleCount` device samples were NaN or infinite; they are recorded as silence.
  ///
  /// A slow consumer gets one event with the sum.
  case nonFinite(sampleCount: Int)
  /// The disk will be full in less than a minute at the current rate.
  ///
  /// The event is reported again only after there was room for two minutes.
  case diskLow(left: Duration)
  /// Since its beginning, the recording has been quieter than the request's `warnBelow`, for at
  /// least the rule's duration; the value is the recording's level.
  ///
  /// The microphone may be switched off. This event is reported once. Silence after a louder signal
  /// is not reported.
  case silentMicrophone(Decibels)
  /// The recording waits for a sound or a command to begin.
  case waiting
  /// The recording begins; its file starts with `preRoll` of audio from before this moment.
  case began(preRoll: Duration)
  /// A pause begins at this length of the recording.
  case paused(Duration)
  /// A pause ends at this length of the recording.
  case resumed(Duration)
  /// A file is complete, and the next file is written.
  case rolled(RecordingRollover)
  /// An error ended the recording and is thrown next; the value describes the content of its files.
  case closed(RecordingFinish)
  /// The device is lost, and the recording waits for it as requested.
  case deviceLost
  /// The device returned after a gap of this length.
  ///
  /// For a slow consumer, several returns are merged into one event with the sum of their gaps.
  case deviceReturned(gap: Duration)
  /// The last event: the file is closed and on disk.
  case finished(RecordingFinish)
}

/// The start of a recording.
public struct RecordingStart: Hashable, Sendable {
  /// The capture device.
  public var device: AudioDevice.ID

  /// The device's rate and channels.
  public var deviceFormat: AudioFormat

  /// The rate and channels of the file.
  public var fileFormat: AudioFormat

  /// The device's configuration, or nil in a preview.
  public var settings: PCMConfiguration?

  /// Whether the file has a higher rate or more channels than the device.
  ///
  /// Either the device does not support the format, or another user has opened it with a lower rate
  /// or fewer channels.
  public var exceedsDevice: Bool {
    fileFormat.sampleRate > deviceFormat.sampleRate
      || fileFormat.channelCount > deviceFormat.channelCount
  }

  /// Creates a description of a recording's start.
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

/// The end of a recording.
public struct RecordingFinish: Hashable, Sendable {
  /// The reason for the end.
  public enum Reason: String, Hashable, Sendable {
    /// `stopRecording` was called.
    case stopped
    /// The recording has reached the requested length.
    case lengthReached
    /// The device ended, for example a virtual microphone at the end of its file.
    case deviceEnded
    /// The audio was quiet for the duration of `endAfterSilence`.
    case silence
    /// Audio was lost, and the request's rule `gaps` is `stop`.
    case gap
    /// An error ended the recording.
    case failed
  }

  /// The reason for the end.
  public var reason: Reason

  /// The number of frames in all files together.
  public var frameCount: FrameCount

  /// The duration of these frames.
  public var recorded: Duration

  /// Peak and RMS of all recorded samples; nil in a preview, and if nothing was recorded.
  public var level: AudioLevel?

  /// The number of recorded samples at or beyond full scale, which suggests clipping.
  public var clippedSamples: Int

  /// The last file; nil for a descriptor, in a preview, and if nothing was recorded or the file
  /// could not be completed.
  public var file: URL?

  /// Creates a description of a recording's end.
  public init(
    reason: Reason, frameCount: FrameCount, recorded: Duration, level: AudioLevel? = nil,
    clippedSamples: Int = 0, file: URL? = nil
  ) {
    self.reason = reason
    self.frameCount = frameCount
    self.recorded = recorded
    self.level = level
    self.clippedSamples = clippedSamples
    self.file = file
  }
}

/// The levels of a recording over one reporting interval.
public struct RecordingLevels: Hashable, Sendable {
  /// The recorded length.
  public var recorded: Duration

  /// Peak and RMS over all channels.
  public var level: AudioLevel

  /// The levels of each channel of the file; empty in a preview.
  public var channels: [ChannelLevel]

  /// Creates the levels of a recording.
  public init(recorded: Duration, level: AudioLevel, channels: [ChannelLevel] = []) {
    self.recorded = recorded
    self.level = level
    self.channels = channels
  }
}

/// The levels of one channel of a recording.
public struct ChannelLevel: Hashable, Sendable {
  /// The peak over the reporting interval.
  public var peak: Decibels

  /// The root mean square over the reporting interval.
  public var rms: Decibels

  /// The highest peak of the last 1.5 seconds, for meters.
  public var heldPeak: Decibels

  /// The number of samples so far at or beyond full scale, which suggests clipping.
  public var clippedSamples: Int

  /// Creates a channel's levels.
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
  /// Bounds memory for slow consumers: keeps the newest levels, the sum of xruns, the last loss of
  /// the device, and a limited number of other events.
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
      if queue.count >= eventLimit { queue.remove(at: 1) }
      queue.append(event)
    }
  }

  /// The maximum number of queued events; beyond it, the oldest event except `started` is dropped.
  package static let eventLimit = 1_000
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
