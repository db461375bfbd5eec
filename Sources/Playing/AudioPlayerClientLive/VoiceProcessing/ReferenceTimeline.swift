import AudioCore
import Resampling

/// The audio that a player has played, by host time: the reference for echo cancellation.
///
/// Frames have the rate of the capture. Both devices' times have jitter, and their clocks differ.
/// Reads are therefore consecutive, and follow the measured time by skipping or repeating single
/// frames.
struct ReferenceTimeline {
  /// How much later than the requested time the reference is read.
  ///
  /// Times may be inaccurate, and an echo canceller needs the reference before its echo.
  private static let lead = Duration.milliseconds(10)
  /// The largest timing error that is corrected frame by frame; a larger error is corrected at
  /// once.
  private static let tolerance = Duration.milliseconds(20)
  /// The duration of audio to keep before the position, and the longest pause to store as silence.
  private static let history = Duration.seconds(1)
  /// The duration of audio to keep if nothing is read; longer than a device's buffer.
  private static let limit = Duration.seconds(4)

  private let rate: SampleRate
  private let read: @Sendable () -> [AudioBuffer]
  private var resampler: Resampler?
  /// The frame of the device at which the audio begins, and the frame after its end.
  private var device = (start: FrameCount.zero, end: FrameCount.zero)
  /// The kept audio.
  private(set) var samples: [Float] = []
  /// The index of the first frame in `samples`.
  private var first = 0
  /// The host's time at which the frame with index 0 was played.
  private var origin: ContinuousClock.Instant?
  /// The index of the next frame to return.
  private var position: Int?
  /// The smoothed difference between the measured index and `position`.
  private var error = 0.0

  /// Creates the timeline of the blocks that `read` returns.
  init(at rate: SampleRate, _ read: @escaping @Sendable () -> [AudioBuffer]) {
    (self.rate, self.read) = (rate, read)
  }

  /// The index after the last frame.
  private var end: Int { first + samples.count }

  /// Adds the new blocks.
  mutating func update() throws(ResamplingError) {
    for block in read() {
      // The device's frames do not advance in a pause, but the time does.
      let pause = step(to: block) ?? .zero
      if resampler?.inputFormat != block.format || block.firstFrame != device.end
        || pause > Self.history
      {
        let mono = AudioFormat(sampleRate: rate, channelCount: 1)
        resampler = try Resampler(from: block.format, to: mono, quality: .low)
        (samples, first, origin, position) = ([], 0, nil, nil)
        device.start = block.firstFrame
      } else if pause > Self.tolerance {
        samples += [Float](repeating: 0, count: FrameCount(pause, at: rate).rawValue)
        device.start -= FrameCount(pause, at: block.format.sampleRate)
      }
      device.end = block.endFrame
      measure(block)
      if let resampler { samples += try resampler.process(block).samples }
      let limit = FrameCount(Self.limit, at: rate).rawValue
      if samples.count > 2 * limit { dropFirst(samples.count - limit) }
    }
  }

  /// Forgets the position, because the capture has a gap.
  mutating func restart() {
    position = nil
  }

  /// Returns the host's time at index 0, computed from the time of a block.
  private func begin(of block: AudioBuffer) -> ContinuousClock.Instant? {
    let offset = (block.firstFrame - device.start).duration(at: block.format.sampleRate)
    return block.hostTime.map { $0 - offset }
  }

  /// Returns how much later a block was played than the previous blocks predict.
  private func step(to block: AudioBuffer) -> Duration? {
    guard let origin, let begin = begin(of: block) else { return nil }
    return begin - origin
  }

  /// Adjusts `origin` to a block's time: gradually, or at once if the time jumps by more than 5 ms.
  private mutating func measure(_ block: AudioBuffer) {
    guard let step = step(to: block) else { return origin = origin ?? begin(of: block) }
    origin? += abs(step.inSeconds) > 0.005 ? step : step / 10
  }

  private mutating func dropFirst(_ count: Int) {
    samples.removeFirst(count)
    first += count
  }

  /// Whether the device's next blocks may still contain frames of this time.
  func isIncomplete(at time: ContinuousClock.Instant, _ count: Int) -> Bool {
    guard let index = index(at: time) else { return false }
    let missing = index + count - end
    return missing > 0 && missing < FrameCount(Self.tolerance, at: rate).rawValue + count
  }

  /// Returns `count` frames, beginning with the frame that was played about `lead` after `time`.
  ///
  /// Frames are silent where nothing was played.
  mutating func frames(at time: ContinuousClock.Instant, _ count: Int) -> [Float] {
    guard let index = index(at: time) else { return [Float](repeating: 0, count: count) }
    let start = follow(index)
    position = start + count
    return (start..<(start + count)).map {
      $0 >= first && $0 < end ? samples[$0 - first] : 0
    }
  }

  private func index(at time: ContinuousClock.Instant) -> Int? {
    origin.map { Int(clamping: (time + Self.lead - $0).inSeconds * Double(rate.hertz)) }
  }

  /// Returns the index to read: the next one, or `index` if the two differ by more than the
  /// tolerance.
  ///
  /// A smaller lasting difference moves the next index by one frame.
  private mutating func follow(_ index: Int) -> Int {
    let history = FrameCount(Self.history, at: rate).rawValue
    if index - first > 2 * history, samples.count > history {
      dropFirst(min(samples.count, index - first - history))
    }
    guard let position, abs(index - position) <= FrameCount(Self.tolerance, at: rate).rawValue
    else {
      error = 0
      return index
    }
    error += (Double(index - position) - error) / 20
    guard abs(error) > Double(rate.hertz) / 1_000 else { return position }
    let step = error > 0 ? 1 : -1
    error -= Double(step)
    return position + step
  }
}
