public import AudioCore
public import FoundationEssentials

/// Where a recording is written.
public enum RecordingDestination: Hashable, Sendable {
  /// A file, or the first of several.
  ///
  /// An existing file is replaced when the first half second, or all of a shorter recording, is
  /// written. Numbered files, which `rolling` makes, replace nothing: a number in use is skipped.
  /// If nothing is recorded, no file is made. A file that another recording is writing is refused.
  case file(URL)
  /// An open descriptor, for example of a pipe. The recording uses a duplicate; the caller closes
  /// its own.
  ///
  /// It receives WAV whose header gives no length, or with `isRaw` only the samples, little-endian.
  /// If nothing is recorded, nothing is written. A reader may lag by 30 seconds before frames are
  /// lost. After a stop, a reader that takes nothing for a second ends the recording with
  /// `AudioRecorderError.descriptor`. `rolling` and the command `roll` have no effect.
  ///
  /// - Parameter name: the name in error messages.
  case descriptor(Int32, name: String = "standard output", isRaw: Bool = false)
}

/// What to record, from what, and where to.
public struct RecordingRequest: Hashable, Sendable {
  /// Where it is written.
  public var destination: RecordingDestination

  /// The encoding, or nil for the one that the file's extension names, and 16-bit WAV for a
  /// descriptor.
  public var encoding: SoundFileEncoding?

  /// The device, or nil for the default one.
  public var device: AudioDevice.ID?

  /// The recording's rate, or nil for the device's.
  public var sampleRate: SampleRate?

  /// The recording's number of channels, or nil for the device's.
  public var channelCount: Int?

  /// The length, counted in frames, after which the recording ends by itself; nil for no limit.
  public var maximumDuration: Duration?

  /// How quiet for how long the microphone is when `silentMicrophone` is told; nil for never.
  public var warnBelow: LevelRule?

  /// The name by which it is controlled; nil where only `stopRecording`, `pause` and `resume`,
  /// which are for all recordings, are needed.
  public var id: RecordingID?

  /// When it begins.
  public var start: RecordingStartRule

  /// How much of what was heard before the beginning is in the file, up to 10 minutes.
  ///
  /// It is kept in memory until then. Without anything to wait for there is nothing before the
  /// beginning.
  public var preRoll: Duration

  /// How quiet it has to be for how long, more than nothing, until it ends by itself, counted from
  /// the beginning or the last loud frame; nil for never.
  public var endAfterSilence: LevelRule?

  /// What is silence at the beginning and at the end, and how much of it stays; nil for all of it.
  ///
  /// Up to 10 minutes of it stay at either edge; at the end, silence beyond a minute stays as well.
  /// Until something louder comes, up to a minute of silence is in memory and not in the file: a
  /// process that is killed loses it.
  public var trim: LevelRule?

  /// When it goes on in another file.
  public var rolling: RecordingRolling

  /// Which of the device's channels to record, counted from 0, in this order; nil for all.
  ///
  /// They are picked before anything is converted: `channelCount` then says how many the file has.
  /// A device that lacks one is an error; of a sound server or a plug-in, which give any number and
  /// tell of none that they lack, such a channel is silent.
  public var channels: [Int]?

  /// What becomes of audio that was lost.
  public var gaps: RecordingGapRule

  /// How often levels are told: after so much sound, 100 ms at least.
  ///
  /// A longer interval saves work where no levels are shown. Other events, and the audio in the file,
  /// then come up to a quarter of a second late. A descriptor always gets audio at once.
  public var levelsInterval: Duration

  /// What becomes of the recording where the device is lost.
  ///
  /// While the device is away the file stays open. What was missed, from the last frame that was
  /// heard to the first one after it, is lost audio, for which `gaps` holds: with `.stop` it ends
  /// when the device is lost. A device that is back
  /// with another rate or other channels is converted to what it was, and a request without a
  /// device goes on with what is the default device then.
  public var onDeviceLoss: DeviceLossPolicy

  /// A request that records from the default device as it comes, until it is stopped, unless it says
  /// otherwise.
  public init(
    _ destination: RecordingDestination, encoding: SoundFileEncoding? = nil,
    device: AudioDevice.ID? = nil, sampleRate: SampleRate? = nil, channelCount: Int? = nil,
    maximumDuration: Duration? = nil, warnBelow: LevelRule? = .silentMicrophone,
    id: RecordingID? = nil, start: RecordingStartRule = .immediately, preRoll: Duration = .zero,
    endAfterSilence: LevelRule? = nil, trim: LevelRule? = nil,
    rolling: RecordingRolling = RecordingRolling(), channels: [Int]? = nil,
    gaps: RecordingGapRule = .silence, levelsInterval: Duration = .milliseconds(100),
    onDeviceLoss: DeviceLossPolicy = .fail
  ) {
    self.destination = destination
    self.encoding = encoding
    self.device = device
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.maximumDuration = maximumDuration
    self.warnBelow = warnBelow
    self.id = id
    self.start = start
    self.preRoll = preRoll
    self.endAfterSilence = endAfterSilence
    self.trim = trim
    self.rolling = rolling
    self.channels = channels
    self.gaps = gaps
    self.levelsInterval = levelsInterval
    self.onDeviceLoss = onDeviceLoss
  }

  /// A request that records into a file; see `init(_:)` for the rest.
  public init(
    url: URL, encoding: SoundFileEncoding? = nil, device: AudioDevice.ID? = nil,
    sampleRate: SampleRate? = nil, channelCount: Int? = nil, maximumDuration: Duration? = nil,
    warnBelow: LevelRule? = .silentMicrophone, id: RecordingID? = nil,
    start: RecordingStartRule = .immediately, preRoll: Duration = .zero,
    endAfterSilence: LevelRule? = nil, trim: LevelRule? = nil,
    rolling: RecordingRolling = RecordingRolling(), channels: [Int]? = nil,
    gaps: RecordingGapRule = .silence, levelsInterval: Duration = .milliseconds(100),
    onDeviceLoss: DeviceLossPolicy = .fail
  ) {
    self.init(
      .file(url), encoding: encoding, device: device, sampleRate: sampleRate,
      channelCount: channelCount, maximumDuration: maximumDuration, warnBelow: warnBelow, id: id,
      start: start, preRoll: preRoll, endAfterSilence: endAfterSilence, trim: trim,
      rolling: rolling, channels: channels, gaps: gaps, levelsInterval: levelsInterval,
      onDeviceLoss: onDeviceLoss)
  }
}

/// When a recording begins.
public enum RecordingStartRule: Hashable, Sendable {
  /// With the first frame.
  case immediately
  /// When it is loud for as long as the rule says; with the first loud frame, and the pre-roll
  /// before it. The rule holds for up to 10 minutes, which are kept in memory.
  case atSound(LevelRule)
  /// With the command `start`.
  case onCommand
}

/// What becomes of audio that was lost.
public enum RecordingGapRule: String, Hashable, Sendable, CaseIterable {
  /// Silence of its length takes its place: the time-line stays right.
  case silence
  /// What was heard before and after it are joined.
  case omit
  /// The recording ends before it.
  case stop
}

/// When a recording goes on in another file.
///
/// After `take.wav` come `take-001.wav`, `take-002.wav` and so on. Where there is a limit, a
/// name with `%d` or, with leading zeros, `%03d` in it has the number there, from 1 on for
/// the first file.
public struct RecordingRolling: Hashable, Sendable {
  /// The length of each file, counted in frames, at least 0.1 seconds; nil for no limit.
  public var length: Duration?

  /// The size of each file in bytes, at least 10,000; nil for no limit.
  ///
  /// A file of linear PCM exceeds it by the byte at most that makes its samples an even number of
  /// bytes; others do by no more than their encoder holds back.
  public var byteCount: Int?

  /// A rule; without a limit the files change by the command `roll` alone.
  public init(length: Duration? = nil, byteCount: Int? = nil) {
    self.length = length
    self.byteCount = byteCount
  }
}

/// A recording has gone on in another file.
public struct RecordingRolled: Hashable, Sendable {
  /// The file that is complete and on the disk.
  public var finished: URL

  /// The frames in it.
  public var frameCount: FrameCount

  /// The file that is written now.
  public var next: URL

  /// Describes a change of files.
  public init(finished: URL, frameCount: FrameCount, next: URL) {
    self.finished = finished
    self.frameCount = frameCount
    self.next = next
  }
}

/// A level and how long it has to last.
public struct LevelRule: Hashable, Sendable {
  /// A frame is loud where a channel of it reaches this level, else quiet.
  public var threshold: Decibels

  /// How long it has to be loud, or quiet.
  public var hold: Duration

  /// A rule.
  public init(threshold: Decibels, hold: Duration) {
    self.threshold = threshold
    self.hold = hold
  }

  /// −70 dBFS for 3 s: no microphone that is switched on is as quiet as that.
  public static let silentMicrophone = LevelRule(
    threshold: Decibels(dBFS: -70), hold: .seconds(3))
}
