import AudioCore

/// How long a playback device can go on without another frame.
///
/// A card holds frames and plays them; what it holds is the answer. A device that takes frames
/// faster than time (`null`, `file`) never holds any: there the answer is what is left of the time
/// that the frames written would have lasted, so that an engine whose decoder is late waits instead
/// of inserting silence.
struct DryClock {
  private let rate: SampleRate
  private var dryAt: MonotonicTime?

  init(rate: SampleRate) {
    self.rate = rate
  }

  /// Frames were written at `time`.
  mutating func wrote(_ frames: FrameCount, at time: MonotonicTime) {
    let from = dryAt.map { max($0, time) } ?? time
    dryAt = from + frames.duration(at: rate)
  }

  /// The device was asked at `time` and holds so many frames.
  mutating func timeLeft(held: FrameCount, at time: MonotonicTime) -> Duration {
    if held > .zero { dryAt = time + held.duration(at: rate) }
    guard let dryAt else { return .zero }
    return max(.zero, dryAt - time)
  }

  /// The device was emptied.
  mutating func dropped() {
    dryAt = nil
  }
}
