import AudioCore

/// Fades a stream of samples in and out.
///
/// The end is not known in advance, so the last samples are always held back for the fade-out.
struct EdgeFades {
  /// The longest fade-out, which is kept in memory.
  static let longestFadeOut = Duration.seconds(60)

  private let channels: Int
  private let fadeIn: Int
  private let fadeOut: Int
  private var held: [Float] = []
  /// The number of samples at the front of `held` that have been returned.
  private var returned = 0

  init(in fadeIn: Duration, out fadeOut: Duration, format: AudioFormat) {
    channels = format.channelCount
    self.fadeIn = max(0, FrameCount(fadeIn, at: format.sampleRate).rawValue)
    self.fadeOut = max(
      0, FrameCount(min(fadeOut, Self.longestFadeOut), at: format.sampleRate).rawValue)
  }

  /// The number of frames held back.
  var heldFrames: Int { (held.count - returned) / channels }

  /// Processes samples that begin at the stream's frame `frame`; returns the samples that certainly
  /// precede the fade-out.
  mutating func apply(_ samples: [Float], at frame: Int) -> [Float] {
    let samples = frame < fadeIn ? fadedIn(samples, from: frame) : samples
    guard fadeOut > 0 else { return samples }
    held += samples
    let count = max(0, held.count - returned - fadeOut * channels)
    defer { forget(count) }
    return Array(held[returned..<(returned + count)])
  }

  /// Removes samples in batches, because each removal moves the whole fade-out in memory.
  private mutating func forget(_ count: Int) {
    returned += count
    guard returned > held.count / 8 else { return }
    held.removeFirst(returned)
    returned = 0
  }

  /// Returns the samples held back, fading to silence.
  mutating func flush() -> [Float] {
    defer { reset() }
    let last = held[returned...]
    let frames = last.count / channels
    return zip(0..., last).map { index, sample in
      sample * Float(frames - 1 - index / channels) / Float(max(1, fadeOut))
    }
  }

  /// Discards the samples held back.
  mutating func reset() {
    (held, returned) = ([], 0)
  }

  private func fadedIn(_ samples: [Float], from frame: Int) -> [Float] {
    samples.indices.map { index in
      samples[index] * min(1, Float(frame + index / channels + 1) / Float(fadeIn))
    }
  }
}
