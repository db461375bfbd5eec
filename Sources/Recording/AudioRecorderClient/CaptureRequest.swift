public import AudioCore

/// A request for live buffers.
public struct CaptureRequest: Hashable, Sendable {
  /// The device, or nil for the default device.
  public var device: AudioDevice.ID?

  /// The rate of the buffers, or nil for the device's; a device opened for this capture runs at 48
  /// kHz or the nearest rate.
  public var sampleRate: SampleRate?

  /// The channel count of the buffers, or nil for the device's; a device opened for this capture
  /// has two channels or the nearest count.
  public var channelCount: Int?

  /// The longest backlog of a slow consumer; older audio is dropped and reported as a gap.
  public var droppingOldestAfter: Duration

  /// The frames of each buffer, or nil for all frames that arrive together.
  ///
  /// A buffer before a gap and the last buffer may be shorter. A device opened for this capture
  /// wakes once per buffer, but at most every 5 ms.
  public var framesPerBuffer: FrameCount?

  /// The device's channels to capture, counted from 0, in this order; nil for all.
  ///
  /// They are selected before the conversion to `channelCount`. A missing channel is an error.
  /// Sound servers and plug-ins accept any channel count; there, a missing channel is silent.
  public var channels: [Int]?

  /// The behavior when the device is lost.
  ///
  /// While the device is away, no buffers arrive; the first buffer afterward reports the gap. If
  /// the device returns with another rate or channel count, its audio is converted to the original
  /// format.
  public var onDeviceLoss: DeviceLossPolicy

  /// The ID with which `control` stops the capture, or nil.
  ///
  /// Audio captured before the stop is still delivered; then the stream ends. Previews ignore the
  /// command.
  public var id: RecordingID?

  /// Creates a request; by default, it captures the default device in the device's own format, and
  /// each buffer contains all frames that arrive together.
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

/// A block of live audio; stream operators accept it in place of an `AudioBuffer`.
public struct CapturedAudio: AudioBlock, Equatable, Sendable {
  /// The frames; `firstFrame` is their index on the capture's timeline, which includes lost frames,
  /// and `hostTime` is their time on the host's clock.
  public var buffer: AudioBuffer

  /// The timestamp of the first frame, relative to the first frame of the capture.
  ///
  /// Between gaps, it is computed from the number of frames. After each gap, it is read again from
  /// the device's monotonic clock. That clock stops while the machine is suspended, but `gap` and
  /// `buffer.firstFrame` include the frames lost in that time.
  public var time: Duration

  /// The gap before this buffer, or nil.
  public var gap: CaptureGap?

  /// The timestamp of the first frame on the device's clock, since the device was first opened.
  ///
  /// Unlike `time` it follows the clock in every block: it does not drift, but it has jitter.
  public var capturedAt: Duration

  /// The device's configuration, in the first block; nil in later blocks and in previews.
  ///
  /// If the device's rate or channel count is lower than that of the buffers, the conversion adds
  /// no information.
  public var device: PCMConfiguration?

  /// The number of NaN or infinite device samples that were replaced by silence in this buffer or
  /// just before it.
  ///
  /// It is the `silencedSampleCount` of `buffer`.
  public var nonFiniteCount: Int {
    get { buffer.silencedSampleCount }
    set { buffer.silencedSampleCount = newValue }
  }

  /// Creates a block.
  ///
  /// `capturedAt` defaults to `time`, and `nonFiniteCount` to the buffer's `silencedSampleCount`.
  public init(
    buffer: AudioBuffer, time: Duration, gap: CaptureGap? = nil, capturedAt: Duration? = nil,
    device: PCMConfiguration? = nil, nonFiniteCount: Int? = nil
  ) {
    self.buffer = buffer
    self.time = time
    self.gap = gap
    self.capturedAt = capturedAt ?? time
    self.device = device
    if let nonFiniteCount { self.nonFiniteCount = nonFiniteCount }
  }

  /// Compares the audio, its times, its gap, its device, and the number of replaced samples.
  public static func == (block: CapturedAudio, other: CapturedAudio) -> Bool {
    block.buffer == other.buffer && block.nonFiniteCount == other.nonFiniteCount
      && (block.time, block.capturedAt, block.gap, block.device)
        == (other.time, other.capturedAt, other.gap, other.device)
  }
}

/// A gap of lost frames.
public struct CaptureGap: Hashable, Sendable {
  /// The number of lost frames, at the rate of the buffers.
  public var lost: FrameCount

  /// Creates a gap of `lost` frames.
  public init(lost: FrameCount) {
    self.lost = lost
  }
}
