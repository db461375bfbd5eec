import AudioCore

/// A text format for cues.
public enum CueFormat: String, Hashable, Sendable, CaseIterable {
  /// SubRip: numbered cues, times as `00:00:01,500`.
  case srt
  /// WebVTT for browsers: times as `00:00:01.500`; `&`, `<`, and `>` are escaped.
  case vtt
  /// A tab-separated table of start and end in milliseconds, and text.
  case tsv

  /// The first line of the file without its line feed, or nil if it begins with a cue.
  public var header: String? {
    switch self {
    case .srt: nil
    case .vtt: "WEBVTT\n"
    case .tsv: "start\tend\ttext"
    }
  }

  /// Returns the text of a cue without the last line feed; `number` counts cues from 1.
  public func text(of cue: Cue, number: Int) -> String {
    let lines = cue.lines.joined(separator: "\n")
    let times = [cue.start, cue.end].map { max(0, $0.wholeMilliseconds) }
    let (start, end) = (times[0], times[1])
    return switch self {
    case .srt: "\(number)\n\(clock(start, ",")) --> \(clock(end, ","))\n\(lines)\n"
    case .vtt: "\(clock(start, ".")) --> \(clock(end, "."))\n\(escaped(lines))\n"
    case .tsv: "\(start)\t\(end)\t\(row(cue.lines))"
    }
  }

  private func row(_ lines: [String]) -> String {
    String(lines.joinedAsWritten.map { $0 == "\t" || $0.isNewline ? " " : $0 })
  }

  private func clock(_ thousandths: Int, _ point: String) -> String {
    let seconds = thousandths / 1_000
    let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { digits($0, 2) }
    return parts.joined(separator: ":") + point + digits(thousandths % 1_000, 3)
  }

  private func digits(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  private func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.append(character)
      }
    }
  }
}

/// A timed piece of a transcript, such as a subtitle.
public struct Cue: Hashable, Sendable {
  /// The start, from the beginning of the audio.
  public var start: Duration
  /// The end, from the beginning of the audio.
  public var end: Duration
  /// The lines, from top to bottom.
  public var lines: [String]

  /// Creates a cue.
  public init(start: Duration, end: Duration, lines: [String]) {
    self.start = start
    self.end = end
    self.lines = lines
  }
}
