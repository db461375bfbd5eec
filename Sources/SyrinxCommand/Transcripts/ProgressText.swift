import AudioCore

/// How far a file has been transcribed, in words.
struct ProgressText {
  let file: String
  /// The length of the file, nil where it is not known.
  let total: Duration?

  /// The line at a position in the audio, so long after the beginning at another one; nil in the
  /// first second, because short files need none.
  func line(
    at position: Duration, from start: Duration = .zero, after elapsed: Duration
  ) -> String? {
    guard elapsed >= .seconds(1) else { return nil }
    let speed = max(0, (position - start).inSeconds) / elapsed.inSeconds
    let tenths = Int((speed * 10).rounded())
    let pace = "\(tenths / 10).\(tenths % 10) times real time"
    guard let total, total > .zero else { return "\(file) \(position.clockText), \(pace)" }
    let percent = min(100, Int(position.inSeconds / total.inSeconds * 100))
    let line = "\(file) \(position.clockText) / \(total.clockText) (\(percent) %), \(pace)"
    guard speed > 0 else { return line }
    let left = Duration.seconds(max(0, (total - position).inSeconds) / speed)
    return "\(line), \(left.clockText) left"
  }
}
