/// A loudness in LUFS, loudness units relative to full scale, as EBU R 128 measures it; negative
/// infinity where there is nothing to measure.
///
/// A 997 Hz sine at −23 dBFS in both channels of a stereo file has −23 LUFS.
public struct LoudnessLevel: Hashable, Comparable, Sendable {
  /// The loudness in LUFS.
  public let lufs: Double

  /// A loudness in LUFS; `-Double.infinity` is silence.
  public init(lufs: Double) {
    self.lufs = lufs
  }

  /// Silence, or audio too short to measure.
  public static let silence = LoudnessLevel(lufs: -.infinity)

  /// Orders from quiet to loud.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.lufs < rhs.lufs }
}

extension LoudnessLevel: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    guard lufs.isFinite else { return "-inf LUFS" }
    let tenths = (lufs * 10).rounded() / 10
    return "\(tenths == 0 ? 0 : tenths) LUFS"
  }
}
