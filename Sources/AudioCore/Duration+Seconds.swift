extension Duration {
  /// The duration as a number of seconds, for arithmetic with rates and for people to read.
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// The duration in whole nanoseconds; one of more than a century counts as one of 136 years.
  package var inNanoseconds: Int64 {
    let longest = Duration.seconds(1 << 32)
    let (seconds, attoseconds) = Swift.max(.zero - longest, Swift.min(self, longest)).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
