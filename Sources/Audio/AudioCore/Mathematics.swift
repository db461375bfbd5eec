// The mathematical functions that the standard library lacks. The module imports nothing else.
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The sine of a number of turns.
///
/// The fraction is taken first, so a long signal stays exact.
func sineOfTurns(_ turns: Double) -> Float {
  let fraction = turns - turns.rounded(.down)
  return Float(sin(2 * Double.pi * fraction))
}

/// The logarithm to base 10.
func decimalLogarithm(_ value: Double) -> Double {
  log10(value)
}

/// Ten to the power of `exponent`.
func powerOfTen(_ exponent: Double) -> Double {
  pow(10, exponent)
}

/// The natural exponential of `exponent`.
func exponential(_ exponent: Double) -> Double {
  exp(exponent)
}
