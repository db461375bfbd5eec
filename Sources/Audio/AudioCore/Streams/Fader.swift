/// Fades in at the start and out at the end, with look-ahead.
public struct Fader: AudioProcessor, Sendable {
  private let fadeIn: Duration
  private let fadeOut: Duration
  private let curve: FadeCurve
  private var position: FrameCount = 0
  private var held = HeldBuffers()

  /// Creates a fader with these durations; 0 means no fade.
  public init(fadeIn: Duration = .zero, fadeOut: Duration = .zero, curve: FadeCurve = .linear) {
    precondition(
      fadeIn >= .zero && fadeOut >= .zero,
      "a fade is not \(min(fadeIn, fadeOut).inSeconds) s long")
    (self.fadeIn, self.fadeOut, self.curve) = (fadeIn, fadeOut, curve)
  }

  /// The number of frames that may have to fade out.
  public var heldFrames: FrameCount { held.frameCount }

  /// Returns the frames that precede the possible fade-out.
  public mutating func take(_ buffer: AudioBuffer) -> [AudioBuffer] {
    held.append(risen(buffer))
    return held.take(held.frameCount - FrameCount(fadeOut, at: buffer.format.sampleRate))
  }

  /// Returns the last frames, faded out.
  public mutating func finish() -> [AudioBuffer] {
    let length = held.frameCount
    var rest = length
    return held.takeAll().map { buffer in
      defer { rest -= buffer.frameCount }
      return buffer.scaled { gain(rest - $0 - 1, of: length) }
    }
  }

  private mutating func risen(_ buffer: AudioBuffer) -> AudioBuffer {
    let length = FrameCount(fadeIn, at: buffer.format.sampleRate)
    let begin = position
    // After the fade-in, the position is irrelevant, but must not overflow.
    position = min(length, position + buffer.frameCount)
    return begin < length ? buffer.scaled { gain(begin + $0, of: length) } : buffer
  }

  private func gain(_ frame: FrameCount, of length: FrameCount) -> Float {
    curve.gain(at: Double(frame.rawValue) / Double(length.rawValue))
  }
}

/// The curve of a gain between two values.
public enum FadeCurve: Hashable, Sendable, CaseIterable {
  /// Linear amplitude; two opposite fades of the same audio add up to 1.
  case linear
  /// A quarter sine; two opposite fades of different audio keep the power constant.
  case equalPower
  /// Linear level over 60 dB, which sounds even.
  case exponential
  /// Half a cosine, which begins and ends smoothly.
  case smooth

  /// Returns the gain at `progress`, 0…1, of a fade from 0 to 1; it is constant outside this range.
  public func gain(at progress: Double) -> Float {
    guard progress > 0 else { return 0 }
    guard progress < 1 else { return 1 }
    return switch self {
    case .linear: Float(progress)
    case .equalPower: sineOfTurns(progress / 4)
    case .exponential: Float(powerOfTen(3 * (progress - 1)))
    case .smooth: (1 - sineOfTurns(progress / 2 + 0.25)) / 2
    }
  }
}

extension AsyncSequence where Element == AudioBuffer {
  /// Fades in from silence at the start and out to silence at the end.
  ///
  /// The first and the last frame are silent. Each fade has its full length in frames, without the
  /// frames missing in gaps. Audio that is shorter than the fade-out fades from its first frame on.
  /// The stream holds the frames of a fade-out until it detects the end.
  ///
  /// An error of this sequence comes after the faded end.
  public func faded(
    in fadeIn: Duration = .zero, out fadeOut: Duration = .zero, curve: FadeCurve = .linear
  ) -> ProcessedAudio<Self, Fader> {
    processed(by: Fader(fadeIn: fadeIn, fadeOut: fadeOut, curve: curve))
  }
}
