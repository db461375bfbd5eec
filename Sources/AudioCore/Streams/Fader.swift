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

/// How a gain goes from one value to another.
public enum FadeCurve: Hashable, Sendable, CaseIterable {
  /// In even steps of amplitude; two such fades of the same sound add up to 1.
  case linear
  /// A quarter of a sine; two such fades of different sounds keep the power the same.
  case equalPower
  /// In even steps of level, over 60 dB: even to the ear.
  case exponential
  /// Half a cosine: it begins and ends without a corner.
  case smooth

  /// The gain at `progress`, 0…1, of a fade from 0 to 1; beyond either end that of the end.
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
  /// The same audio, faded in from silence at the start and out to silence at the end.
  ///
  /// The first frame and the last one are silent. Each fade has its full length in frames, those
  /// that a gap in the indices lacks not counted; audio that is shorter than the fade out fades
  /// from its first frame on. To know the end, frames of the length of the fade out are held back.
  ///
  /// An error of this sequence comes after the faded end.
  public func faded(
    in fadeIn: Duration = .zero, out fadeOut: Duration = .zero, curve: FadeCurve = .linear
  ) -> ProcessedAudio<Self, Fader> {
    processed(by: Fader(fadeIn: fadeIn, fadeOut: fadeOut, curve: curve))
  }
}
