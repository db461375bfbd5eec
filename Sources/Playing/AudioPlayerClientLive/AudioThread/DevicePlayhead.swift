import AudioCore

/// The playhead of a device: the frames written minus the device's delay, within bounds and never
/// decreasing.
///
/// Some devices report no delay for frames that they just took. The playhead therefore also follows
/// the clock: buffered frames cannot be played faster than the device's rate.
struct DevicePlayhead: Equatable {
  /// The frames written to the device.
  private(set) var written = 0
  /// The number of frames that the device has played.
  private(set) var played = 0
  /// The device's time at which `played` frames had been played.
  private(set) var playedAt = Duration.zero
  private let buffer: Int
  private let rate: SampleRate
  /// The frames in the device's buffer at `heldAt`, plus those written since.
  private(set) var held = 0
  private var heldAt = Duration.zero

  init(buffer: FrameCount, rate: SampleRate) {
    self.buffer = buffer.rawValue
    self.rate = rate
  }

  /// The device's time at which its buffer will be empty.
  var emptyAt: Duration { heldAt + FrameCount(held).duration(at: rate) }

  /// The frames that have been written and not played.
  var unplayed: Int { written - played }

  /// Records frames that the device accepted.
  mutating func write(_ frames: Int) {
    written += frames
    held = min(buffer, held + frames)
  }

  /// Records the room in the device's buffer at this time.
  mutating func see(room: FrameCount, at time: Duration) {
    (held, heldAt) = (max(0, buffer - room.rawValue), time)
  }

  /// Records that the device may be empty.
  mutating func empty() {
    held = 0
  }

  /// Records the delay that the device reports at this time, in frames; implausible values are
  /// corrected.
  mutating func observe(delay: Int, at time: Duration) {
    let least = held > 0 ? max(0, held - FrameCount(time - heldAt, at: rate).rawValue) : 0
    let before = played
    played = max(played, min(written, written - max(delay, least)))
    // A device that has run dry played its last frame some time ago.
    let earliest = playedAt + FrameCount(played - before).duration(at: rate)
    playedAt = max(delay, least) > 0 ? time : min(time, earliest)
  }

  /// Records the loss of the device; the last `frames` frames will be written again.
  mutating func lose(keeping frames: Int) {
    written -= frames
    played = written
  }

  /// Records that the device has discarded its unplayed frames.
  mutating func discard() {
    written = played
    held = 0
  }

  /// Counts everything written as played, because the device has underrun or does not respond.
  ///
  /// `playedAt` becomes the time at which the last frame was due.
  mutating func finish() {
    playedAt += FrameCount(unplayed).duration(at: rate)
    played = written
    held = 0
  }
}

/// The last frames that were written to the device, kept to write them again after a loss.
///
/// Its memory is allocated and touched once; used only on the audio thread.
final class UnplayedFrames {
  private let samples: UnsafeMutableBufferPointer<Float>
  private let channels: Int
  /// The number of frames written so far; `kept` is how many of them are stored.
  private var end = 0
  private var kept = 0
  /// The number of kept frames that must be written again.
  private(set) var backlog = 0

  /// Creates a store that keeps at most `capacity` frames.
  init(capacity: Int, channels: Int) {
    self.channels = channels
    samples = .allocate(capacity: capacity * channels)
    samples.initialize(repeating: 0)
  }

  deinit {
    samples.deallocate()
  }

  private var capacity: Int { samples.count / channels }

  /// Keeps frames that were written to the device.
  func keep(_ given: UnsafeBufferPointer<Float>) {
    var left = given
    while !left.isEmpty {
      let start = end % capacity
      let count = min(left.count / channels, capacity - start)
      let room = UnsafeMutableBufferPointer(
        rebasing: samples[(start * channels)..<((start + count) * channels)])
      room.baseAddress?.update(from: left.baseAddress.unsafelyUnwrapped, count: room.count)
      left = UnsafeBufferPointer(rebasing: left.dropFirst(room.count))
      end += count
      kept = min(kept + count, capacity)
    }
  }

  /// Forgets all frames.
  func forget() {
    (kept, backlog) = (0, 0)
  }

  /// Marks the last `frames` frames to be written again; returns how many of them are stored.
  func rewind(_ frames: Int) -> Int {
    let count = min(frames, kept - backlog)
    backlog += count
    return count
  }

  /// Returns the next frames to be written again, at most `frames`.
  func next(atMost frames: Int) -> UnsafeBufferPointer<Float> {
    let start = (end - backlog) % capacity
    let count = min(backlog, frames, capacity - start)
    return UnsafeBufferPointer(
      rebasing: samples[(start * channels)..<((start + count) * channels)])
  }

  /// Records that `frames` of the marked frames have been written again.
  func advance(_ frames: Int) {
    backlog -= frames
  }
}
