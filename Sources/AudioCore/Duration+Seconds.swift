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

  /// The time in seconds, to a thousandth: `1.500 s`; less than that is said to be something.
  package var secondsText: String {
    let thousandths = Int((inSeconds * 1_000).rounded())
    if thousandths == 0, self > .zero { return "under 0.001 s" }
    let rest = String(1_000 + abs(thousandths) % 1_000).dropFirst()
    return "\(thousandths / 1_000).\(rest) s"
  }
}
