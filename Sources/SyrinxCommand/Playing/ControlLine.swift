import AudioPlayerClient

/// A line of standard input that tells a playback what to do.
struct ControlLine: Equatable {
  /// A line that means nothing, and what would mean something.
  struct Wrong: Error, Equatable, CustomStringConvertible {
    let line: String

    var description: String {
      """
      "\(line)" is no command; there are: pause, resume, seek SECONDS, volume FACTOR (0 to 1), skip \
      and stop
      """
    }
  }

  private let words: [Substring]

  /// Nil for an empty line.
  init?(_ line: String) {
    words = line.split(whereSeparator: \.isWhitespace)
    if words.isEmpty { return nil }
  }

  /// What it tells.
  func command() throws(Wrong) -> PlaybackCommand {
    switch (words[0], words.dropFirst().first.flatMap { Double($0) }, words.count) {
    case ("pause", _, 1): return .pause()
    case ("resume", _, 1): return .resume()
    case ("skip", _, 1): return .skip
    case ("stop", _, 1): return .stop()
    case ("seek", let seconds?, 2) where (0...1e9).contains(seconds):
      return .seek(to: .time(.seconds(seconds)))
    case ("volume", let factor?, 2) where (0...1).contains(factor):
      return .setVolume(Float(factor))
    default: throw Wrong(line: words.joined(separator: " "))
    }
  }
}
