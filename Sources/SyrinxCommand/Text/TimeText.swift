import AudioCore

extension Duration {
  /// The time for people, to a tenth of a second: `0:03.2`, `1:02:03.4`.
  var clockText: String {
    let tenths = Int((max(.zero, self).inSeconds * 10).rounded(.down))
    let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
    let rest = "\(twoDigits(seconds)).\(tenths % 10)"
    return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(rest)" : "\(minutes):\(rest)"
  }

  /// The time in seconds, to a thousandth: `1.500 s`; less than that is said to be something.
  var secondsText: String {
    let thousandths = Int((inSeconds * 1_000).rounded())
    if thousandths == 0, self > .zero { return "under 0.001 s" }
    let rest = String(1_000 + abs(thousandths) % 1_000).dropFirst()
    return "\(thousandths / 1_000).\(rest) s"
  }
}

private func twoDigits(_ number: Int) -> String {
  number < 10 ? "0\(number)" : "\(number)"
}
