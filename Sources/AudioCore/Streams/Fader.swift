/// Fades in at the start and out at the end, which it looks ahead for.
public struct Fader: AudioProcessor, Sendable {
  private let fadeIn: Duration
  private let fadeOut: Duration
  private let curve: FadeCurve
  private var position: FrameCount = 0
  private var held = HeldBuffers()

  /// A machine with these lengths, each 0 for no fade.
  public init(fadeIn: Duration = .zero, fadeOut: Duration = .zero, curve: FadeCurve = .linear) {
    precondition(
      fadeIn >= .zero && fadeOut >= .zero,
      "a fade is not \(min(fadeIn, fadeOut).inSeconds) s long")
    (self.fadeIn, self.fadeOut, self.curve) = (fadeIn, fadeOut, curve)
  }

  /// The frames that may have to be faded out.
  public var heldFrames: FrameCount { held.frameCount }

  /// Gives the frames before the last ones of the fade's length.
  public mutating func take(_ buffer: AudioBuffer) -> [AudioBuffer] {
    held.append(risen(buffer))
    return held.take(held.frameCount - FrameCount(fadeOut, at: buffer.format.sampleRate))
  }

  /// Gives the last frames, faded out.
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
    // Once it is over, the position no longer matters: it must not overflow either.
    position = min(length, position + buffer.frameCount)
    return begin < length ? buffer.scaled { gain(begin + $0, of: length) } : buffer
  }

  private func gain(_ frame: FrameCount, of length: FrameCount) -> Float {
    curve.gain(at: Double(frame.rawValue) / Double(length.rawValue))
  }
}
