// The mathematical functions that the standard library lacks. No other file of the module imports
// the C library.
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Returns the sine of a number of turns.
///
/// Whole turns are removed first, so the result is exact even late in a long signal.
func sineOfTurns(_ turns: Double) -> Float {
  let fraction = turns - turns.rounded(.down)
  return Float(sin(2 * Double.pi * fraction))
}

/// Returns the logarithm to base 10.
func decimalLogarithm(_ value: Double) -> Double {
  log10(value)
}

/// Ten to the power of `exponent`.
func powerOfTen(_ exponent: Double) -> Double {
  pow(10, exponent)
}

/// Returns the natural exponential of `exponent`.
func exponential(_ exponent: Double) -> Double {
  exp(exponent)
}

/// Conversions of numbers of any size from files, servers, clocks, and users.
///
/// Without them, a number that does not fit an `Int` would trap in `Int(_: Double)`, in
/// `Duration.seconds`, or in a sum.
extension Int {
  /// The greatest magnitude of a converted number, so that sums of several numbers do not overflow.
  private static let greatest = 0x1p60

  /// Creates the nearest integer, at most 2^60 in magnitude; 0 for NaN.
  package init(clamping number: Double) {
    let nearest = Swift.max(-Self.greatest, Swift.min(number.rounded(), Self.greatest))
    self = number.isNaN ? 0 : Int(nearest)
  }
}

extension Duration {
  /// Creates a duration in seconds, at most 2^60 in magnitude; zero for NaN.
  package static func seconds(clamping number: Double) -> Duration {
    guard abs(number) < 0x1p60 else { return .seconds(Int(clamping: number)) }
    return .seconds(number)
  }

  /// The whole milliseconds, rounded to the nearest, at most 2^60 in magnitude.
  package var wholeMilliseconds: Int { Int(clamping: inSeconds * 1_000) }
}

extension FrameCount {
  /// The greatest length that a header may announce, 2^50: 35 years at 1 MHz.
  private static let longestAnnounced = 1 << 50

  /// Creates a length that a file announces; nil if it is negative or above `longestAnnounced`.
  package init?(announced count: Int) {
    guard (0...Self.longestAnnounced).contains(count) else { return nil }
    self.init(count)
  }

  /// Returns the sum of announced lengths; nil if a length is unknown or the sum is too great.
  package static func sum(announced lengths: some Sequence<FrameCount?>) -> FrameCount? {
    lengths.reduce(.some(.zero)) { sum, length in
      guard let sum, let length else { return nil }
      return FrameCount(announced: sum.rawValue + length.rawValue)
    }
  }
}
