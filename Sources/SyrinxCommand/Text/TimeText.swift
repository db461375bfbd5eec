import AudioCore

extension Duration {
  /// The time for people, to a tenth of a second: `0:03.2`, `1:02:03.4`.
  var clockText: String {
    let tenths = Int((max(.zero, self).inSeconds * 10).rounded(.down))
    let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
    let rest = "\(twoDigits(seconds)).\(tenths % 10)"
    return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(rest)" : "\(minutes):\(rest)"
  }
}

private func twoDigits(_ number: Int) -> String {
  number < 10 ? "0\(number)" : "\(number)"
}
