public import AudioCore
public import FoundationEssentials

/// The destination of a recording.
public enum RecordingDestination: Hashable, Sendable {
  /// A file, or the first of several files.
  ///
  /// An existing file is replaced when the first half second, or all of a shorter recording, is
  /// written. Numbered files, which `rolling` creates, replace no file: a number in use is skipped.
  /// If nothing is recorded, no file is created. If another recording is writing the file, an error
  /// is thrown.
  case file(URL)
  /// An open descriptor, for example of a pipe.
  ///
  /// The recording uses a duplicate; the caller closes the original. The descriptor receives WAV
  /// with no length in the header, or with `isRaw` only the samples, little-endian. If nothing is
  /// recorded, nothing is written. A reader may lag by 30 seconds before frames are lost. After a
  /// stop, a reader that reads nothing for a second ends the recording with
  /// `AudioRecorderError.descriptor`. `rolling` and the command `roll` have no effect.
  ///
  /// Error messages contain `name`.
  case descriptor(Int32, name: String = "standard output", isRaw: Bool = false)
}

/// A request to record a device to a destination.
public struct RecordingRequest: Hashable, Sendable {
  /// The destination.
  public var destination: RecordingDestination

  /// The encoding.
  ///
  /// Nil selects the encoding of the file's extension, or 16-bit WAV for a descriptor.
  public var encoding: SoundFileEncoding?

  /// The device, or nil for the default device.
  public var device: AudioDevice.ID?

  /// The recording's rate, or nil for the device's.
  public var sampleRate: SampleRate?

  /// The recording's channel count, or nil for the device's.
  public var channelCount: Int?

  /// The length, counted in frames, after which the recording ends; nil for no limit.
  public var maximumDuration: Duration?

  /// The level and duration of quiet after which `silentMicrophone` is reported; nil for never.
  public var warnBelow: LevelRule?

  /// The ID for `control`, or nil; `stopRecording`, `pause`, and `resume` need none.
  public var id: RecordingID?

  /// The rule for when the recording begins.
  public var start: RecordingStartRule

  /// How much audio from before the beginning to include, up to 10 minutes.
  ///
  /// That audio is kept in memory until the recording begins. The setting has no effect on a
  /// recording that begins immediately.
  public var preRoll: Duration

  /// The level and duration of quiet that end the recording; nil for never.
  ///
  /// The duration must be above zero. It is measured from the beginning or the last loud frame.
  public var endAfterSilence: LevelRule?

  /// The level of silence to trim at both ends, and the duration of silence to keep, up to 10
  /// minutes; nil to keep all silence.
  ///
  /// Up to a minute of silence is held in memory until a louder frame arrives, and is lost if the
  /// process is killed. Silence beyond a minute is recorded, even at the end.
  public var trim: LevelRule?

  /// The rule for continuing in another file.
  public var rolling: RecordingRollingRule

  /// The device's channels to record, counted from 0, in this order; nil for all.
  ///
  /// They are selected before the conversion to `channelCount`. A missing channel is an error.
  /// Sound servers and plug-ins accept any channel count; there, a missing channel is silent.
  public var channels: [Int]?

  /// The rule for gaps of lost audio.
  public var gaps: RecordingGapRule

  /// The interval of level events, at least 100 ms.
  ///
  /// Longer intervals save work; other events and the audio in the file may then be delayed by up
  /// to a quarter of a second. A descriptor always gets audio at once.
  public var levelsInterval: Duration

  /// The behavior when the device is lost.
  ///
  /// The file stays open while the device is away. The missing audio is a gap, filled according to
  /// `gaps`; with `.stop`, the recording ends at the loss. If the device returns with another rate
  /// or channel count, its audio is converted to the original format. A request without a device
  /// continues on the current default device.
  public var onDeviceLoss: DeviceLossPolicy

  /// Creates a request, by default to record the default device until stopped.
  public init(
    _ destination: RecordingDestination, encoding: SoundFileEncoding? = nil,
    device: AudioDevice.ID? = nil, sampleRate: SampleRate? = nil, channelCount: Int? = nil,
    maximumDuration: Duration? = nil, warnBelow: LevelRule? = .silentMicrophone,
    id: RecordingID? = nil, start: RecordingStartRule = .immediately, preRoll: Duration = .zero,
    endAfterSilence: LevelRule? = nil, trim: LevelRule? = nil,
    rolling: RecordingRollingRule = RecordingRollingRule(), channels: [Int]? = nil,
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

  /// Creates a request for a file; see `init(_:)`.
  public init(
    url: URL, encoding: SoundFileEncoding? = nil, device: AudioDevice.ID? = nil,
    sampleRate: SampleRate? = nil, channelCount: Int? = nil, maximumDuration: Duration? = nil,
    warnBelow: LevelRule? = .silentMicrophone, id: RecordingID? = nil,
    start: RecordingStartRule = .immediately, preRoll: Duration = .zero,
    endAfterSilence: LevelRule? = nil, trim: LevelRule? = nil,
    rolling: RecordingRollingRule = RecordingRollingRule(), channels: [Int]? = nil,
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

/// A rule for the beginning of a recording.
public enum RecordingStartRule: Hashable, Sendable {
  /// With the first frame.
  case immediately
  /// After the audio was loud for the rule's duration, at most 10 minutes; the recording begins
  /// with the first loud frame and the pre-roll.
  ///
  /// The loud audio is kept in memory until the recording begins.
  case atSound(LevelRule)
  /// With the command `start`.
  case onCommand
}

/// The handling of gaps of lost audio.
public enum RecordingGapRule: String, Hashable, Sendable, CaseIterable {
  /// Fill with silence: the timeline stays correct.
  case silence
  /// Join the audio before and after the gap.
  case omit
  /// End the recording before the gap.
  case stop
}

/// A rule for continuing a recording in another file.
///
/// After `take.wav` come `take-001.wav`, `take-002.wav`, and so on. With a limit, `%d` in a name,
/// or `%03d` for leading zeros, is replaced with the number, which is 1 for the first file.
public struct RecordingRollingRule: Hashable, Sendable {
  /// The length of each file, counted in frames, at least 0.1 seconds; nil for no limit.
  public var length: Duration?

  /// The size of each file in bytes, at least 10,000; nil for no limit.
  ///
  /// A linear PCM file exceeds the limit by at most one padding byte, any other file by at most the
  /// audio that the encoder buffers.
  public var byteCount: Int?

  /// Creates a rule; without a limit, only the command `roll` begins another file.
  public init(length: Duration? = nil, byteCount: Int? = nil) {
    self.length = length
    self.byteCount = byteCount
  }
}

/// A change to the next file.
public struct RecordingRollover: Hashable, Sendable {
  /// The complete file on disk.
  public var finished: URL

  /// The number of frames in the complete file.
  public var frameCount: FrameCount

  /// The next file.
  public var next: URL

  /// Creates a description of a change to the next file.
  public init(finished: URL, frameCount: FrameCount, next: URL) {
    self.finished = finished
    self.frameCount = frameCount
    self.next = next
  }
}

/// A level that separates loud from quiet audio, and a duration.
public struct LevelRule: Hashable, Sendable {
  /// The level at or above which a frame is loud, in any channel.
  public var threshold: Decibels

  /// The duration for which the audio must be loud or quiet.
  public var hold: Duration

  /// Creates a rule.
  public init(threshold: Decibels, hold: Duration) {
    self.threshold = threshold
    self.hold = hold
  }

  /// −70 dBFS for 3 s, quieter than any working microphone.
  public static let silentMicrophone = LevelRule(
    threshold: Decibels(-70), hold: .seconds(3))
}
