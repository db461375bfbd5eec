/// A block of interleaved Float32 samples with its format and its position on the timeline.
///
/// Copies of a buffer share their samples until one copy is modified.
public struct AudioBuffer: Equatable, Sendable {
  /// The rate and channels of the samples.
  public let format: AudioFormat

  /// The interleaved samples of whole frames; full scale is ±1.
  public private(set) var samples: [Float]

  /// The index of the first frame on the stream's timeline, which begins at 0.
  public var firstFrame: FrameCount

  /// The number of NaN or infinite samples that were replaced with silence, in this buffer or just
  /// before it.
  ///
  /// A consumer that also replaces such samples adds this number to its own count.
  package var silencedSampleCount = 0

  /// Compares format, samples, and position; `silencedSampleCount` is ignored.
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

  /// The number of frames in the buffer.
  public var frameCount: FrameCount { FrameCount(samples.count / format.channelCount) }

  /// The index of the frame after the last one.
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
    // numbers.
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
    // A map over a stride would be slower; it takes as long as decoding.
    var channel = [Float](repeating: 0, count: samples.count / format.channelCount)
    for frame in channel.indices { channel[frame] = samples[frame * format.channelCount + index] }
    return channel
  }

  /// Returns the frames in a range that counts from the start of this buffer and lies within it.
  public func frames(_ range: Range<FrameCount>) -> AudioBuffer {
    let channels = format.channelCount
    let slice = samples[
      range.lowerBound.rawValue * channels..<range.upperBound.rawValue * channels]
    var piece = AudioBuffer(
      format: format, samples: Array(slice), firstFrame: firstFrame + range.lowerBound)
    // Only the first piece gets the count, so the counts of all pieces add up to the buffer's
    // count.
    if range.lowerBound == 0 { piece.silencedSampleCount = silencedSampleCount }
    return piece
  }
}
