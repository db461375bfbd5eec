extension Duration {
  /// The duration as a number of seconds, for arithmetic with rates and for people to read.
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
