/// An audio buffer, possibly with reports from its source, such as levels or lost frames.
///
/// Stream operators accept any block and process its `buffer`.
public protocol AudioBlock: Sendable {
  /// The audio.
  var buffer: AudioBuffer { get }
}

/// A block of interleaved Float32 samples with its format and its position on the timeline.
///
/// Copies of a buffer share their samples until one copy is modified.
public struct AudioBuffer: AudioBlock, Equatable, Sendable {
  /// The rate and channels of the samples.
  public let format: AudioFormat

  /// The interleaved samples of whole frames; full scale is ±1.
  public private(set) var samples: [Float]

  /// The index of the first frame on the stream's timeline, which begins at 0.
  public var firstFrame: FrameCount

  /// The time at which a microphone captured the first frame; nil for audio from other sources,
  /// previews, fakes, and replays.
  ///
  /// It has the jitter of the device's wake-ups, so a buffer may have an earlier time than the
  /// previous buffer. Operators that pass frames on also pass on their times. On a virtual sound
  /// card, the time is that of the card's clock, which starts at the real time of the card's
  /// creation. `PlaybackProgress` has the time of playback.
  public var hostTime: ContinuousClock.Instant?

  /// The number of samples that were NaN or infinite and became silence, in the buffer or just
  /// before it.
  ///
  /// Code that silences such samples adds their number here. Operators copy the number to their
  /// output, unless the buffer is empty or is removed as silence.
  public var silencedSampleCount = 0

  /// Compares only the audio: format, samples, and position.
  public static func == (buffer: AudioBuffer, other: AudioBuffer) -> Bool {
    buffer.format == other.format && buffer.firstFrame == other.firstFrame
      && buffer.samples == other.samples
  }

  /// Creates a buffer of interleaved samples in whole frames.
  public init(format: AudioFormat, samples: [Float], firstFrame: FrameCount = 0) {
    precondition(
      samples.count.isMultiple(of: format.channelCount),
      "\(samples.count) samples are not whole frames of \(format.channelCount) channels")
    self.format = format
    self.samples = samples
    self.firstFrame = firstFrame
  }

  /// Creates a buffer of `frameCount` silent frames.
  public init(silence frameCount: FrameCount, format: AudioFormat, firstFrame: FrameCount = 0) {
    let samples = [Float](repeating: 0, count: frameCount.rawValue * format.channelCount)
    self.init(format: format, samples: samples, firstFrame: firstFrame)
  }

  /// The buffer itself.
  public var buffer: AudioBuffer { self }

  /// The number of frames in the buffer.
  public var frameCount: FrameCount { FrameCount(samples.count / format.channelCount) }

  /// The index of the frame after the last frame.
  public var endFrame: FrameCount { firstFrame + frameCount }

  /// The duration of the buffer.
  public var duration: Duration { frameCount.duration(at: format.sampleRate) }

  /// Whether the buffer has no frames.
  public var isEmpty: Bool { samples.isEmpty }

  /// Replaces NaN and infinity, which spoil every sum, with silence.
  ///
  /// - Returns: the number of replaced samples in all channels, and the frames of the stream from
  ///   the first to the last replaced sample; nil if no sample was replaced.
  package mutating func silenceNonFinite() -> (count: Int, frames: Range<FrameCount>)? {
    // Without the sign bit, the bit patterns of NaN and infinity exceed those of all finite
    // numbers, so the highest pattern shows whether the buffer contains NaN or infinity.
    let highest = samples.reduce(into: UInt32(0)) { $0 = max($0, $1.bitPattern & 0x7FFF_FFFF) }
    guard highest >= Float.infinity.bitPattern else { return nil }
    let replaced = samples.indices.filter { !samples[$0].isFinite }
    let first = firstFrame + FrameCount((replaced.first ?? 0) / format.channelCount)
    let last = firstFrame + FrameCount((replaced.last ?? 0) / format.channelCount)
    samples = samples.map { $0.isFinite ? $0 : 0 }
    return (replaced.count, first..<last + 1)
  }

  /// Returns the samples of one channel, counted from 0.
  public func channel(_ index: Int) -> [Float] {
    precondition(index < format.channelCount, "no channel \(index) in \(format)")
    // This is a loop, because a map over a stride would take as long as decoding the audio.
    var channel = [Float](repeating: 0, count: samples.count / format.channelCount)
    for frame in channel.indices { channel[frame] = samples[frame * format.channelCount + index] }
    return channel
  }

  /// Changes the samples in place, without an allocation unless another buffer shares them.
  ///
  /// `body` gets interleaved samples, as in `samples`.
  public mutating func withMutableSamples<Result, Failure: Error>(
    _ body: (_ samples: inout MutableSpan<Float>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var span = samples.mutableSpan
    return try body(&span)
  }

  /// Returns the buffer with every sample transformed.
  public consuming func mapSamples<Failure: Error>(
    _ transform: (_ sample: Float) throws(Failure) -> Float
  ) throws(Failure) -> AudioBuffer {
    try withMutableSamples { (samples: inout MutableSpan<Float>) throws(Failure) -> Void in
      for index in samples.indices { samples[index] = try transform(samples[index]) }
    }
    return self
  }

  /// Returns the frames in `range`, which counts from this buffer's start and must lie within the
  /// buffer.
  public func frames(_ range: Range<FrameCount>) -> AudioBuffer {
    let channels = format.channelCount
    let slice = samples[
      range.lowerBound.rawValue * channels..<range.upperBound.rawValue * channels]
    var piece = AudioBuffer(
      format: format, samples: Array(slice), firstFrame: firstFrame + range.lowerBound)
    piece.setTime(from: self)
    // Only the first piece gets the count, so the counts of all pieces add up to the buffer's
    // count.
    if range.lowerBound == 0 { piece.silencedSampleCount = silencedSampleCount }
    return piece
  }

  /// Returns a buffer with other samples, but with the position, time, and number of silenced
  /// samples of this buffer.
  package func with(_ samples: [Float], format: AudioFormat? = nil) -> AudioBuffer {
    var other = AudioBuffer(
      format: format ?? self.format, samples: samples, firstFrame: firstFrame)
    (other.hostTime, other.silencedSampleCount) = (hostTime, silencedSampleCount)
    return other
  }

  /// Derives the host time from `source`, a buffer on the same timeline whose sample rate may
  /// differ.
  package mutating func setTime(from source: AudioBuffer) {
    hostTime = source.hostTime.map { $0 + (start - source.start) }
  }

  /// The position of the first frame on the timeline.
  private var start: Duration { firstFrame.duration(at: format.sampleRate) }
}
