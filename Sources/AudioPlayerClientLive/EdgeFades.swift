import AudioCore

/// Fades the beginning and the end of a stream of samples.
///
/// Where the end is, nobody knows before: as much as its fade takes is held back.
struct EdgeFades {
  /// What the longest fall takes: as much as that is kept in memory.
  static let longestFall = Duration.seconds(60)

  private let channels: Int
  private let rise: Int
  private let fall: Int
  private var held: [Float] = []
  /// How many of the first samples that are held have been given.
  private var given = 0

  init(in rise: Duration, out fall: Duration, format: AudioFormat) {
    channels = format.channelCount
    self.rise = max(0, FrameCount(rise, at: format.sampleRate).rawValue)
    self.fall = max(0, FrameCount(min(fall, Self.longestFall), at: format.sampleRate).rawValue)
  }

  /// The samples of which it is certain that they are not the end, the first of those given being
  /// the stream's frame `frame`.
  mutating func apply(_ samples: [Float], at frame: Int) -> [Float] {
    let samples = frame < rise ? risen(samples, from: frame) : samples
    guard fall > 0 else { return samples }
    held += samples
    let count = max(0, held.count - given - fall * channels)
    defer { forget(count) }
    return Array(held[given..<(given + count)])
  }

  /// What is held for a long fade is not moved up for each block.
  private mutating func forget(_ count: Int) {
    given += count
    guard given > held.count / 8 else { return }
    held.removeFirst(given)
    given = 0
  }

  /// What was held back, fading to silence.
  mutating func finish() -> [Float] {
    defer { reset() }
    let last = held[given...]
    let frames = last.count / channels
    return zip(0..., last).map { index, sample in
      sample * Float(frames - 1 - index / channels) / Float(max(1, fall))
    }
  }

  /// Forgets what was held back.
  mutating func reset() {
    (held, given) = ([], 0)
  }

  private func risen(_ samples: [Float], from frame: Int) -> [Float] {
    samples.indices.map { index in
      samples[index] * min(1, Float(frame + index / channels + 1) / Float(rise))
    }
  }
}
