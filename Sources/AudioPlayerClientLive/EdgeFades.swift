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
    let count = max(0, held.count - fall * channels)
    defer { held.removeFirst(count) }
    return Array(held[..<count])
  }

  /// What was held back, fading to silence.
  mutating func finish() -> [Float] {
    defer { held = [] }
    let frames = held.count / channels
    return held.indices.map { index in
      held[index] * Float(frames - 1 - index / channels) / Float(max(1, fall))
    }
  }

  /// Forgets what was held back.
  mutating func reset() {
    held = []
  }

  private func risen(_ samples: [Float], from frame: Int) -> [Float] {
    samples.indices.map { index in
      samples[index] * min(1, Float(frame + index / channels + 1) / Float(rise))
    }
  }
}
