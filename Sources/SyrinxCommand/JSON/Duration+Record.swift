import AudioCore

extension Duration {
  /// Seconds to a thousandth.
  var inRecordSeconds: Double { (inSeconds * 1_000).rounded() / 1_000 }
}
