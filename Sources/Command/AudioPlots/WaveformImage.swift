public import AudioCore

/// A waveform; each column has the lowest sample, the highest sample, and the root mean square.
///
/// `waveformImage(columnCount:)` makes a few hundred columns, whatever the length of the audio.
/// `waveformImage(framesPerColumn:)` makes columns of a fixed length.
public struct WaveformImage: Hashable, Sendable {
  /// One column of one channel; full scale is ±1.
  public struct Column: Hashable, Sendable {
    /// The lowest sample.
    public var lowest: Float
    /// The highest sample.
    public var highest: Float
    /// The root mean square.
    public var rms: Float
  }

  /// The sample rate and channels of the audio.
  public let format: AudioFormat
  /// The length of the audio.
  public let frameCount: FrameCount
  /// The number of frames of each column except the last.
  public let framesPerColumn: FrameCount
  /// The columns of each channel.
  public let channels: [[Column]]

  /// The duration of the audio.
  public var duration: Duration { frameCount.duration(at: format.sampleRate) }
}

/// The sums of one column of one channel.
private struct ColumnSums {
  var lowest = Float.infinity
  var highest = -Float.infinity
  // The sum is a `Double`, because a sum of millions of squares needs more precision than `Float`
  // has.
  var squares = 0.0

  mutating func add(_ sample: Float) {
    lowest = min(lowest, sample)
    highest = max(highest, sample)
    squares += Double(sample * sample)
  }

  /// Adds every `step`th sample in groups of eight, and returns the index of the first remaining
  /// sample.
  ///
  /// The eight lanes have separate sums, because with a single sum each addition would wait for the
  /// previous one.
  mutating func addGroupsOfEight(
    of samples: UnsafeBufferPointer<Float>, from start: Int, step: Int, to end: Int
  ) -> Int {
    var index = start
    var (lows, highs) = (SIMD8(repeating: lowest), SIMD8(repeating: highest))
    var (powers, eight) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
    while index + 7 * step < end {
      for lane in 0..<8 { eight[lane] = samples[index + lane * step] }
      // This is much faster than `pointwiseMin`, which calls a function for each lane.
      lows.replace(with: eight, where: eight .< lows)
      highs.replace(with: eight, where: eight .> highs)
      powers += eight * eight
      index += 8 * step
    }
    (lowest, highest) = (lows.min(), highs.max())
    squares += Double(powers.sum())
    return index
  }
}

/// Builds columns of a fixed or a growing length.
struct WaveformBuilder {
  private let format: AudioFormat
  /// The minimum number of columns; nil if the columns have a fixed length.
  ///
  /// When there are twice as many columns, each pair is merged into one.
  private let columnCount: Int?
  private var framesPerColumn: Int
  private var frameCount = 0
  private var channels: [[ColumnSums]]
  private var framesInColumn = 0

  init(_ format: AudioFormat, columnCount: Int?, framesPerColumn: Int) {
    (self.format, self.columnCount, self.framesPerColumn) = (format, columnCount, framesPerColumn)
    channels = Array(repeating: [], count: format.channelCount)
  }

  mutating func add(_ buffer: AudioBuffer) {
    var buffer = buffer
    _ = buffer.silenceNonFinite()
    buffer.samples.withUnsafeBufferPointer { samples in
      var position = 0
      let frames = samples.count / format.channelCount
      while position < frames {
        if framesInColumn == 0 { beginColumn() }
        // Each sum covers at most 65,536 frames, because a longer sum of Floats is inexact.
        let end = min(frames, position + framesPerColumn - framesInColumn, position + 65_536)
        for channel in channels.indices { add(samples, position..<end, channel) }
        framesInColumn = (framesInColumn + end - position) % framesPerColumn
        position = end
      }
      frameCount += frames
    }
  }

  private mutating func beginColumn() {
    if let columnCount, let columns = channels.first?.count, columns >= 2 * columnCount {
      framesPerColumn *= 2
      for channel in channels.indices { channels[channel] = Self.halved(channels[channel]) }
    }
    for channel in channels.indices { channels[channel].append(ColumnSums()) }
  }

  private mutating func add(
    _ samples: UnsafeBufferPointer<Float>, _ frames: Range<Int>, _ channel: Int
  ) {
    let (step, last) = (format.channelCount, channels[channel].count - 1)
    let end = frames.upperBound * step
    var index = channels[channel][last].addGroupsOfEight(
      of: samples, from: frames.lowerBound * step + channel, step: step, to: end)
    while index < end {
      channels[channel][last].add(samples[index])
      index += step
    }
  }

  private static func halved(_ columns: [ColumnSums]) -> [ColumnSums] {
    stride(from: 0, to: columns.count - 1, by: 2).map { index in
      let (one, two) = (columns[index], columns[index + 1])
      return ColumnSums(
        lowest: min(one.lowest, two.lowest), highest: max(one.highest, two.highest),
        squares: one.squares + two.squares)
    }
  }

  var image: WaveformImage {
    WaveformImage(
      format: format, frameCount: FrameCount(frameCount),
      framesPerColumn: FrameCount(framesPerColumn),
      channels: channels.map { columns in
        columns.enumerated().map { index, sums in
          let frames = min(framesPerColumn, frameCount - index * framesPerColumn)
          return WaveformImage.Column(
            lowest: sums.lowest, highest: sums.highest,
            rms: Float((sums.squares / Double(max(1, frames))).squareRoot()))
        }
      })
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Returns the waveform of the whole audio; nil if there is no audio.
  ///
  /// It has from `columnCount` to twice `columnCount` columns, or fewer for short audio. A gap
  /// between the frame indices of two buffers is not drawn.
  ///
  /// - Throws: the errors of this sequence; `PlotError.formatChanged`.
  public func waveformImage(columnCount: Int) async throws -> WaveformImage? {
    try await waveform { WaveformBuilder($0, columnCount: columnCount, framesPerColumn: 1) }
  }

  /// Returns the waveform in columns of a fixed length, for `PeakData`; the image grows with the
  /// audio.
  ///
  /// - Throws: the errors of this sequence; `PlotError.formatChanged`.
  public func waveformImage(framesPerColumn: FrameCount) async throws -> WaveformImage? {
    try await waveform {
      WaveformBuilder($0, columnCount: nil, framesPerColumn: Swift.max(1, framesPerColumn.rawValue))
    }
  }

  private func waveform(
    _ make: (AudioFormat) -> WaveformBuilder
  ) async throws -> WaveformImage? {
    var builder: WaveformBuilder?
    var format: AudioFormat?
    for try await block in self where !block.buffer.isEmpty {
      let buffer = block.buffer
      let expected = format ?? buffer.format
      guard buffer.format == expected else {
        throw PlotError.formatChanged(expected: expected, actual: buffer.format)
      }
      format = expected
      var current = builder.take() ?? make(expected)
      current.add(buffer)
      builder = current
    }
    return builder?.image
  }
}

/// The reason that a plot cannot be created.
public enum PlotError: Error, Equatable {
  /// A buffer's format differs from the format of the first buffer; plot each format separately.
  case formatChanged(expected: AudioFormat, actual: AudioFormat)
  /// cairo failed; `reason` is cairo's own message.
  case drawing(reason: String)
}

extension PlotError: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .formatChanged(let expected, let actual):
      "the audio changes from \(expected) to \(actual); plot each part separately"
    case .drawing(let reason): "cannot draw the plot: \(reason); choose a smaller size"
    }
  }
}
