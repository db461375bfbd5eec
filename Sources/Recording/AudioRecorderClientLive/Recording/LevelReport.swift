import AudioCore
import AudioRecorderClient

/// Measures the level of a recording and reports it at an interval.
struct LevelReport {
  static let shortestInterval = Duration.milliseconds(100)

  /// The duration of the audio between two reports.
  let interval: Duration
  private let format: AudioFormat
  private let frames: FrameCount
  private var channels: [PeakHoldMeter]
  private var measured: FrameCount = 0
  private var recorded = AudioMeter()
  private var hasRecorded = false

  init(format: AudioFormat, interval: Duration = shortestInterval) {
    self.format = format
    self.interval = max(Self.shortestInterval, interval)
    frames = FrameCount(self.interval, at: format.sampleRate)
    channels = Array(repeating: PeakHoldMeter(), count: format.channelCount)
  }

  /// Adds captured audio; returns a report when the interval is complete.
  mutating func add(_ buffer: AudioBuffer, recorded: FrameCount) -> RecordingLevels? {
    for index in channels.indices {
      channels[index].add(buffer.samples, from: index, step: channels.count)
    }
    measured += buffer.frameCount
    guard measured >= frames else { return nil }
    defer {
      for index in channels.indices { channels[index].reset() }
      measured = 0
    }
    return report(recorded)
  }

  /// Peak and RMS of all recorded frames; nil if there are none.
  var recordedLevel: AudioLevel? { hasRecorded ? recorded.level : nil }

  /// The number of clipped samples in all recorded frames.
  var clippedSamples: Int { channels.reduce(0) { $0 + $1.clipped } }

  /// Measures recorded frames, which are older than the captured frames if a pre-roll or a trim
  /// holds audio.
  mutating func count(recorded buffer: AudioBuffer) {
    recorded.add(buffer.samples)
    hasRecorded = true
    guard buffer.mayBeLoud(AudioLevel.clippingAmplitude) else { return }
    for index in channels.indices {
      channels[index].count(clipped: buffer.samples, from: index, step: channels.count)
    }
  }

  private mutating func report(_ recorded: FrameCount) -> RecordingLevels {
    let length = measured.duration(at: format.sampleRate)
    let square = channels.map(\.meanSquare).reduce(0, +) / Double(channels.count)
    let highest = channels.map(\.highest).max() ?? 0
    return RecordingLevels(
      recorded: recorded.duration(at: format.sampleRate),
      level: AudioLevel(
        peak: Decibels(amplitude: Double(highest)),
        rms: Decibels(amplitude: square.squareRoot())),
      channels: channels.indices.map { channels[$0].level(after: length) })
  }
}

/// Measures the level of one channel over an interval; its peak hold and clip counter continue in
/// the next interval.
struct PeakHoldMeter {
  /// The duration for which a peak is held.
  static let hold = Duration.milliseconds(1_500)

  /// The peak amplitude of the interval.
  private(set) var highest: Float = 0
  private var squares: Double = 0
  private var count = 0
  private var held: Float = 0
  private var heldFor = Duration.zero
  private(set) var clipped = 0

  /// The mean square of the interval; 0 if it is empty.
  var meanSquare: Double { count == 0 ? 0 : squares / Double(count) }

  /// Adds every `step`th sample; NaN does not count as a peak.
  mutating func add(_ samples: [Float], from first: Int, step: Int) {
    var peaks = SIMD4<Float>(repeating: highest)
    var sums = SIMD4<Double>.zero
    samples.withUnsafeBufferPointer { samples in
      var index = first
      // Add to four sums in parallel, because each addition to a sum waits for the previous one.
      while index + 3 * step < samples.count {
        let four = SIMD4(
          abs(samples[index]), abs(samples[index + step]), abs(samples[index + 2 * step]),
          abs(samples[index + 3 * step]))
        peaks.replace(with: four, where: four .> peaks)
        sums += SIMD4<Double>(four) * SIMD4<Double>(four)
        index += 4 * step
      }
      while index < samples.count {
        let size = abs(samples[index])
        if size > peaks[0] { peaks[0] = size }
        sums[0] += Double(size) * Double(size)
        index += step
      }
    }
    highest = peaks.max()
    squares += sums.sum()
    count += (samples.count - first + step - 1) / step
  }

  /// Counts the clipped samples of recorded audio.
  mutating func count(clipped samples: [Float], from first: Int, step: Int) {
    samples.withUnsafeBufferPointer { samples in
      for index in stride(from: first, to: samples.count, by: step)
      where abs(samples[index]) >= AudioLevel.clippingAmplitude {
        clipped += 1
      }
    }
  }

  /// Returns the level of the interval, whose duration is `length`.
  mutating func level(after length: Duration) -> ChannelLevel {
    heldFor += length
    if highest >= held || heldFor > Self.hold {
      held = highest
      heldFor = .zero
    }
    return ChannelLevel(
      peak: Decibels(amplitude: Double(highest)),
      rms: Decibels(amplitude: meanSquare.squareRoot()),
      heldPeak: Decibels(amplitude: Double(held)), clippedSamples: clipped)
  }

  /// Begins a new interval.
  mutating func reset() {
    (highest, squares, count) = (0, 0, 0)
  }
}
