public import AudioCore

/// What live buffers to deliver.
public struct CaptureRequest: Hashable, Sendable {
  /// The device, or nil for the default one.
  public var device: AudioDevice.ID?

  /// The rate of the buffers, or nil for the device's.
  public var sampleRate: SampleRate?

  /// The number of channels of the buffers, or nil for the device's.
  public var channelCount: Int?

  /// How much audio waits for a slow consumer before the oldest of it is dropped; the stream says
  /// how much that was.
  public var droppingOldestAfter: Duration

  /// A request for buffers of the default device as they come, unless it says otherwise.
  public init(
    device: AudioDevice.ID? = nil, sampleRate: SampleRate? = nil, channelCount: Int? = nil,
    droppingOldestAfter: Duration = .seconds(2)
  ) {
    self.device = device
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.droppingOldestAfter = droppingOldestAfter
  }
}

/// A block of live audio.
public struct CapturedAudio: Equatable, Sendable {
  /// The frames; `firstFrame` is their index on the capture's time-line, which counts lost frames
  /// as well.
  public var buffer: AudioBuffer

  /// When the first frame was captured, since the first frame of the capture: by the device's
  /// monotonic clock after a gap, by the number of frames within a stretch without one.
  public var time: Duration

  /// What is missing right before this buffer, nil where nothing is.
  public var gap: CaptureGap?

  /// Describes a block.
  public init(buffer: AudioBuffer, time: Duration, gap: CaptureGap? = nil) {
    self.buffer = buffer
    self.time = time
    self.gap = gap
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
