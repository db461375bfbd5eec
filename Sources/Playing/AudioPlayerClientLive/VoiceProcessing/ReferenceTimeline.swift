import AudioCore
import Resampling

/// What a player plays, at the rate of a capture, by the host's time.
///
/// Times of both directions have jitter, and two devices have two clocks. The frames that are read
/// therefore follow each other, and move by single frames toward the measured time.
struct ReferenceTimeline {
  /// The lead of the reference, because a time may be wrong and an echo canceller needs the
  /// reference before its echo.
  private static let lead = Duration.milliseconds(10)
  /// The largest error that is corrected by single frames.
  private static let tolerance = Duration.milliseconds(20)
  /// The duration of the kept audio before the position, and the longest pause that is kept.
  private static let history = Duration.seconds(1)
  /// The kept audio if no frames are read, and more than a device holds.
  private static let limit = Duration.seconds(4)

  private let rate: SampleRate
  private let read: @Sendable () -> [AudioBuffer]
  private var resampler: Resampler?
  /// The frame of the device at which the audio begins, and the frame after its end.
  private var device = (start: FrameCount.zero, end: FrameCount.zero)
  /// The audio, the index of its first frame, and the host's time of the index 0.
  private(set) var samples: [Float] = []
  private var first = 0
  private var origin: ContinuousClock.Instant?
  /// The index of the next frame to return, and its smoothed distance from the measured index.
  private var position: Int?
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

  /// Returns the host's time of the index 0 according to a block.
  private func begin(of block: AudioBuffer) -> ContinuousClock.Instant? {
    let offset = (block.firstFrame - device.start).duration(at: block.format.sampleRate)
    return block.hostTime.map { $0 - offset }
  }

  /// Returns the time by which a block is later than the ones before it imply.
  private func step(to block: AudioBuffer) -> Duration? {
    guard let origin, let begin = begin(of: block) else { return nil }
    return begin - origin
  }

  /// Smooths the origin, or sets it if the time has jumped.
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

  /// Returns the frames that were played at a time; silence where nothing was played.
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

  /// Returns the index to read from: the next one, near the measured one.
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
