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
