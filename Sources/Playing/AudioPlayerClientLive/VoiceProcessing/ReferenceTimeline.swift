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
  /// The duration of the kept audio before the position.
  private static let history = Duration.seconds(1)

  private let rate: SampleRate
  private let read: @Sendable () -> [AudioBuffer]
  private var resampler: Resampler?
  /// The frame of the device at which the audio begins, and the frame after its end.
  private var device = (start: FrameCount.zero, end: FrameCount.zero)
  /// The audio, the index of its first frame, and the host's time of the index 0.
  private var samples: [Float] = []
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
      if resampler?.inputFormat != block.format || block.firstFrame != device.end {
        let mono = AudioFormat(sampleRate: rate, channelCount: 1)
        resampler = try Resampler(from: block.format, to: mono, quality: .low)
        (samples, first, origin, position) = ([], 0, nil, nil)
        device.start = block.firstFrame
      }
      device.end = block.endFrame
      if let resampler { samples += try resampler.process(block).samples }
      let offset = (block.firstFrame - device.start).duration(at: block.format.sampleRate)
      guard let begin = block.hostTime.map({ $0 - offset }) else { continue }
      let step = origin.map { begin - $0 } ?? .zero
      origin =
        abs(step.inSeconds) > 0.005 ? begin : origin.map { $0 + step / 10 } ?? begin
    }
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
      let count = min(samples.count, index - first - history)
      samples.removeFirst(count)
      first += count
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
