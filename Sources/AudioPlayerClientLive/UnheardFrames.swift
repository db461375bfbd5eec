import AudioCore

/// The frames that the device was given last, for as long as they may not have been heard: a device
/// that is back after it was lost gets them once more.
///
/// Its memory is taken once, and is present before it is used; the card's thread only.
final class UnheardFrames {
  private let samples: UnsafeMutableBufferPointer<Float>
  private let channels: Int
  /// The frames given so far, and how many of the last ones are here.
  private var end = 0
  private var kept = 0
  /// How many of these are to be given once more.
  private(set) var backlog = 0

  /// - Parameter capacity: how many frames it keeps at most.
  init(capacity: Int, channels: Int) {
    self.channels = channels
    samples = .allocate(capacity: capacity * channels)
    samples.initialize(repeating: 0)
  }

  deinit {
    samples.deallocate()
  }

  private var capacity: Int { samples.count / channels }

  /// Takes note of frames that the device was given.
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

  /// Nothing of what was given is to be kept.
  func forget() {
    (kept, backlog) = (0, 0)
  }

  /// The last frames given are to be given once more; returns how many of them are here.
  func rewind(_ frames: Int) -> Int {
    let count = min(frames, kept - backlog)
    backlog += count
    return count
  }

  /// The next ones to give, at most so many.
  func next(atMost frames: Int) -> UnsafeBufferPointer<Float> {
    let start = (end - backlog) % capacity
    let count = min(backlog, frames, capacity - start)
    return UnsafeBufferPointer(
      rebasing: samples[(start * channels)..<((start + count) * channels)])
  }

  /// So many of them have been given.
  func gave(_ frames: Int) {
    backlog -= frames
  }
}
