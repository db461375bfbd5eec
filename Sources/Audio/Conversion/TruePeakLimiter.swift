import AudioCore
import Loudness

/// Limits true peaks to −1 dBTP, the maximum of EBU R 128.
///
/// The limiter looks ahead: the gain falls within 2.5 ms and is low enough at least 2.5 ms before a
/// peak. The gain stays low for 20 ms and then rises linearly, by at most 0.1 per 10 ms. All
/// channels of a frame get the same gain. Samples far from a peak are unchanged.
struct TruePeakLimiter: AudioProcessor {
  static let ceiling = Decibels(-1)
  /// The number of blocks read ahead of the returned block.
  private static let blocksAhead = 2
  /// The number of blocks for which the gain stays low after a peak.
  private static let blocksHeld = 8
  private static let risePerBlock: Float = 1 / 40

  private let format: AudioFormat
  private let filter: TruePeakFilter
  private var blocks: Rechunker
  /// For each channel, the samples that the filter needs before a block.
  private var histories: [[Float]]
  private var waiting: [AudioBuffer] = []
  /// The highest gain that each of the latest blocks allows.
  private var limits: [Float]
  /// The gain at the end of the last returned block.
  private var gain: Float = 1
  /// The lowest gain so far; 1 if all samples are unchanged.
  private(set) var lowestGain: Float = 1

  init(_ format: AudioFormat) {
    self.format = format
    filter = TruePeakFilter(format.sampleRate)
    blocks = Rechunker(size: FrameCount(max(16, format.sampleRate.hertz / 400)))
    histories = Array(
      repeating: Array(repeating: 0, count: filter.history), count: format.channelCount)
    limits = Array(repeating: 1, count: Self.blocksHeld + Self.blocksAhead + 2)
  }

  var heldFrames: FrameCount { waiting.reduce(blocks.heldFrames) { $0 + $1.frameCount } }

  mutating func process(_ buffer: AudioBuffer) -> [AudioBuffer] {
    blocks.process(buffer).compactMap { limited(adding: $0) }
  }

  mutating func flush() -> [AudioBuffer] {
    let rest = blocks.flush()
    let end = Array(
      repeating: AudioBuffer(silence: 0, format: format), count: Self.blocksAhead)
    return (rest + end).compactMap { limited(adding: $0) }
  }

  /// Adds a block, which may lower the gain of earlier blocks, and returns the block that was added
  /// two calls before; nil if there is none yet.
  private mutating func limited(adding block: AudioBuffer) -> AudioBuffer? {
    waiting.append(block)
    limits.removeFirst()
    limits.append(limit(for: block))
    // The lowest limit applies: `limits` covers the returned block, the blocks read ahead, and the
    // earlier blocks, after whose peaks the gain stays low.
    let next = min(limits.min() ?? 1, gain + Self.risePerBlock)
    defer { gain = next }
    guard waiting.count > Self.blocksAhead else { return nil }
    let oldest = waiting.removeFirst()
    guard min(gain, next) < 1, !oldest.isEmpty else { return oldest }
    lowestGain = min(lowestGain, gain, next)
    return oldest.scaled(from: gain, to: next)
  }

  /// Returns the highest gain, at most 1, that keeps the peak of a block at or below the ceiling.
  private mutating func limit(for block: AudioBuffer) -> Float {
    var peak: Float = 0
    for channel in histories.indices {
      let samples = histories[channel] + block.channel(channel)
      histories[channel] = Array(samples.suffix(filter.history))
      let highest = samples.reduce(0) { max($0, abs($1)) }
      peak = samples.withUnsafeBufferPointer {
        filter.peak(of: $0, highest: highest, atLeast: max(peak, highest))
      }
    }
    return min(1, Float(Self.ceiling.amplitude) / peak)
  }
}

extension AudioBuffer {
  /// Returns the samples with a gain that changes linearly from `start` to `end`.
  fileprivate func scaled(from start: Float, to end: Float) -> AudioBuffer {
    let (channels, slope) = (format.channelCount, (end - start) / Float(frameCount.rawValue))
    let scaled = samples.enumerated().map { index, sample in
      sample * (start + slope * Float(index / channels))
    }
    return AudioBuffer(format: format, samples: scaled, firstFrame: firstFrame)
  }
}
