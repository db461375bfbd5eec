import AudioCore

extension Duration {
  /// Seconds to a thousandth, for places.
  var inRecordSeconds: Double { (inSeconds * 1_000).rounded() / 1_000 }

  /// Seconds to a millionth, and never 0 for something: for what is missing, which may be a frame.
  var inMissingSeconds: Double {
    let rounded = (inSeconds * 1_000_000).rounded() / 1_000_000
    return rounded == 0 && self != .zero ? inSeconds : rounded
  }
}
