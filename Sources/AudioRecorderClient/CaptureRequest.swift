public import AudioCore

/// What live buffers to deliver.
public struct CaptureRequest: Hashable, Sendable {
  /// The device, or nil for the default one.
  public var device: AudioDevice.ID?

  /// The rate of the buffers, or nil for the device's: 48 kHz or what is nearest, where nobody
  /// has opened the device at another.
  public var sampleRate: SampleRate?

  /// The number of channels of the buffers, or nil for the device's: two or what is nearest, where
  /// nobody has opened the device with others.
  public var channelCount: Int?

  /// How much audio waits for a slow consumer before the oldest of it is dropped; the stream says
  /// how much that was.
  public var droppingOldestAfter: Duration

  /// The frames of each buffer, or nil for as many as come at a time.
  ///
  /// A buffer before a gap and the last one may be shorter. A device that this capture opens wakes
  /// as often as that, but not more than every 5 ms.
  public var framesPerBuffer: FrameCount?

  /// Which of the device's channels to hear, counted from 0, in this order; nil for all.
  ///
  /// They are picked before anything is converted: `channelCount` then says how many the buffers
  /// have.
  /// A device that lacks one is an error; of a sound server or a plug-in, which give any number and
  /// tell of none that they lack, such a channel is silent.
  public var channels: [Int]?

  /// What becomes of the capture where the device is lost.
  ///
  /// While the device is away nothing comes; the first buffer after that says what was missed, as
  /// after any other gap. A device that is back with another rate or other channels is converted to
  /// what it was.
  public var onDeviceLoss: DeviceLossPolicy

  /// The name by which `control` stops it, nil where its consumer alone ends it.
  ///
  /// What was heard until it is stopped is still delivered, however far behind its consumer is;
  /// then the stream ends. A preview is not stopped that way.
  public var id: RecordingID?

  /// A request for buffers of the default device as they come, unless it says otherwise.
  public init(
    device: AudioDevice.ID? = nil, sampleRate: SampleRate? = nil, channelCount: Int? = nil,
    droppingOldestAfter: Duration = .seconds(2), framesPerBuffer: FrameCount? = nil,
    channels: [Int]? = nil, onDeviceLoss: DeviceLossPolicy = .fail, id: RecordingID? = nil
  ) {
    self.device = device
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.droppingOldestAfter = droppingOldestAfter
    self.framesPerBuffer = framesPerBuffer
    self.channels = channels
    self.onDeviceLoss = onDeviceLoss
    self.id = id
  }
}

/// A block of live audio.
public struct CapturedAudio: Equatable, Sendable {
  /// The frames; `firstFrame` is their index on the capture's time-line, which counts lost frames
  /// as well.
  public var buffer: AudioBuffer

  /// When the first frame was captured, since the first frame of the capture: by the device's
  /// monotonic clock after a gap, by the number of frames within a stretch without one.
  ///
  /// That clock stands still while the machine sleeps. What was missed then is in `gap` and counted
  /// by `buffer.firstFrame`.
  public var time: Duration

  /// What is missing right before this buffer, nil where nothing is.
  public var gap: CaptureGap?

  /// When the first frame was captured on the device's own clock, which began when the device was
  /// opened: unlike `time` it follows that clock block by block, so that it neither drifts with the
  /// card's crystal nor is quite even.
  public var capturedAt: Duration

  /// What the device settled on: on the first block alone, nil on the others and in a preview.
  ///
  /// Where its format has a lower rate or fewer channels than the buffers, they hold no more than
  /// it gives.
  public var device: PCMConfiguration?

  /// How many samples of the device were NaN or infinite, in this buffer or between it and the one
  /// before; silence is in their place.
  public var nonFiniteCount: Int

  /// Describes a block, by default of a device whose clock began with the capture.
  public init(
    buffer: AudioBuffer, time: Duration, gap: CaptureGap? = nil, capturedAt: Duration? = nil,
    device: PCMConfiguration? = nil, nonFiniteCount: Int = 0
  ) {
    self.buffer = buffer
    self.time = time
    self.gap = gap
    self.capturedAt = capturedAt ?? time
    self.device = device
    self.nonFiniteCount = nonFiniteCount
  }
}

/// Frames that were lost.
public struct CaptureGap: Hashable, Sendable {
  /// How many, at the rate of the buffers.
  public var lost: FrameCount

  /// Describes a gap.
  public init(lost: FrameCount) {
    self.lost = lost
  }
}
