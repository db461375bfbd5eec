/// A block of audio: interleaved Float32 samples, their format, and where they lie on the
/// time-line.
///
/// A value: copies share their samples until one of them is changed.
public struct AudioBuffer: Equatable, Sendable {
  /// Rate and channels of the samples.
  public let format: AudioFormat

  /// The samples, frame by frame, full scale ±1; their number is a multiple of the channel count.
  public private(set) var samples: [Float]

  /// The index of the first frame on the stream's time-line, which begins at 0.
  public var firstFrame: FrameCount

  /// How many samples, in the buffer or right before it, were NaN or infinite until the buffer's
  /// maker silenced them.
  ///
  /// A consumer that reports such samples adds these to the ones it finds.
  package var silencedSampleCount = 0

  /// Equal in format, samples, and place; what was silenced before is no part of the audio.
  public static func == (buffer: AudioBuffer, other: AudioBuffer) -> Bool {
    buffer.format == other.format && buffer.firstFrame == other.firstFrame
      && buffer.samples == other.samples
  }

  /// A buffer of interleaved samples, whose number must be a multiple of the channel count.
  public init(format: AudioFormat, samples: [Float], firstFrame: FrameCount = 0) {
    precondition(
      samples.count.isMultiple(of: format.channelCount),
      "\(samples.count) samples are not whole frames of \(format.channelCount) channels")
    self.format = format
    self.samples = samples
    self.firstFrame = firstFrame
  }

  /// A buffer of `frameCount` silent frames.
  public init(silence frameCount: FrameCount, format: AudioFormat, firstFrame: FrameCount = 0) {
    let samples = [Float](repeating: 0, count: frameCount.rawValue * format.channelCount)
    self.init(format: format, samples: samples, firstFrame: firstFrame)
  }

  /// The number of frames in the buffer.
  public var frameCount: FrameCount { FrameCount(samples.count / format.channelCount) }

  /// The index of the frame after the last one.
  public var endFrame: FrameCount { firstFrame + frameCount }

  /// How long the buffer lasts.
  public var duration: Duration { frameCount.duration(at: format.sampleRate) }

  /// Whether there is no frame in it.
  public var isEmpty: Bool { samples.isEmpty }

  /// Puts silence in place of NaN and infinity, which spoil every sum that they enter; returns how
  /// many samples were replaced, and from which frame of the stream to which, nil where none was.
  package mutating func silenceNonFinite() -> NonFiniteSamples? {
    // Without their sign, the bits of NaN and infinity are those of the largest numbers.
    let highest = samples.reduce(into: UInt32(0)) { $0 = max($0, $1.bitPattern & 0x7FFF_FFFF) }
    guard highest >= Float.infinity.bitPattern else { return nil }
    let replaced = samples.indices.filter { !samples[$0].isFinite }
    let first = firstFrame + FrameCount((replaced.first ?? 0) / format.channelCount)
    let last = firstFrame + FrameCount((replaced.last ?? 0) / format.channelCount)
    samples = samples.map { $0.isFinite ? $0 : 0 }
    return NonFiniteSamples(count: replaced.count, frames: first..<last + 1)
  }

  /// The samples of one channel, counted from 0.
  public func channel(_ index: Int) -> [Float] {
    precondition(index < format.channelCount, "no channel \(index) in \(format)")
    return stride(from: index, to: samples.count, by: format.channelCount).map { samples[$0] }
  }

  /// The frames of `range`, counted from the start of this buffer; the range must lie within it.
  public func frames(_ range: Range<FrameCount>) -> AudioBuffer {
    let channels = format.channelCount
    let slice = samples[
      range.lowerBound.rawValue * channels..<range.upperBound.rawValue * channels]
    var piece = AudioBuffer(
      format: format, samples: Array(slice), firstFrame: firstFrame + range.lowerBound)
    // The pieces of a buffer add up to its count.
    if range.lowerBound == 0 { piece.silencedSampleCount = silencedSampleCount }
    return piece
  }
}

/// Samples of a buffer that were NaN or infinite.
package struct NonFiniteSamples: Hashable, Sendable {
  /// How many samples, in all channels.
  package let count: Int
  /// The frames of the stream from the first to the last of them.
  package let frames: Range<FrameCount>
}
