import CPocketSphinx
import Glibc

/// What a model's parameters multiply each coefficient of a cepstrum by, which differs from model
/// to model.
struct CepstralScale {
  private let lifter: Int
  private let factor: Float

  /// The scale of a configuration's `-lifter`, `-transform` and `-nfilt`.
  init(_ configuration: OpaquePointer?) {
    lifter = cmd_ln_int_r(configuration, "-lifter")
    let transform = cmd_ln_str_r(configuration, "-transform").map { String(cString: $0) }
    // "legacy" divides by the number of filters, the others make the transform orthonormal.
    let filterCount = Float(max(1, cmd_ln_int_r(configuration, "-nfilt")))
    factor = transform == "legacy" ? (2 * filterCount).squareRoot() : 1
  }

  /// The coefficients of an orthonormal transform, without weights.
  func undone(_ cepstrum: UnsafeBufferPointer<Float>) -> [Float] {
    cepstrum.enumerated().map { index, value in
      guard lifter > 0 else { return value * factor }
      let angle = Float.pi * Float(index) / Float(lifter)
      return value * factor / (1 + Float(lifter) / 2 * sin(angle))
    }
  }
}
