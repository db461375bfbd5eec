import AudioCore

/// A text format for cues.
public enum CueFormat: String, Hashable, Sendable, CaseIterable {
  /// SubRip: numbered cues, times as `00:00:01,500`.
  case srt
  /// WebVTT for browsers: times as `00:00:01.500`; `&`, `<`, and `>` are escaped.
  case vtt
  /// A tab-separated table of start and end in milliseconds, and text.
  case tsv
  /// WebVTT with the time of each word, as `<00:00:01.500>`, before the word.
  case wordTimedVTT = "vtt-words"
  /// A tab-separated table with a row for each word: start and end in milliseconds, word, and
  /// confidence, which is empty if it is unknown.
  case words

  /// The first line of a file, without the line feed; nil if the file begins with a cue.
  public var header: String? {
    switch self {
    case .srt: nil
    case .vtt, .wordTimedVTT: "WEBVTT\n"
    case .tsv: "start\tend\ttext"
    case .words: "start\tend\tword\tconfidence"
    }
  }

  /// Returns the text of a cue without the last line feed; `number` counts cues from 1.
  public func text(of cue: Cue, number: Int) -> String {
    let lines = cue.lines.joined(separator: "\n")
    let (start, end) = (thousandths(cue.start), thousandths(cue.end))
    let speaker = cue.speaker.map { row([$0]) }
    let name = speaker.map { "\($0): " } ?? ""
    let voice = speaker.map { "<v \(escaped($0))>" } ?? ""
    return switch self {
    case .srt: "\(number)\n\(clock(start, ",")) --> \(clock(end, ","))\n\(name)\(lines)\n"
    case .vtt: "\(clock(start, ".")) --> \(clock(end, "."))\n\(voice)\(escaped(lines))\n"
    case .tsv: "\(start)\t\(end)\t\(name)\(row(cue.lines))"
    case .wordTimedVTT:
      "\(clock(start, ".")) --> \(clock(end, "."))\n\(voice)\(timedLines(of: cue))\n"
    case .words: cue.words.map(row).joined(separator: "\n")
    }
  }

  private func thousandths(_ time: Duration) -> Int { max(0, time.wholeMilliseconds) }

  /// Returns the lines with the time before each word.
  ///
  /// WebVTT requires that each time is later than the one before it and the start of the cue.
  private func timedLines(of cue: Cue) -> String {
    var words = cue.words[...]
    var last = thousandths(cue.start)
    return cue.lines.map { line in
      var (text, rest) = ("", line[...])
      while let word = words.first, let range = rest.firstRange(of: word.substring) {
        let start = thousandths(word.timestamp)
        let isLater = start > last && start < thousandths(cue.end)
        text += escaped(rest[..<range.lowerBound]) + (isLater ? "<\(clock(start, "."))>" : "")
        text += escaped(rest[range])
        last = isLater ? start : last
        rest = rest[range.upperBound...]
        words.removeFirst()
      }
      return text + escaped(rest)
    }.joined(separator: "\n")
  }

  private func row(_ word: TranscriptionSegment) -> String {
    let end = thousandths(word.timestamp + word.duration)
    let confidence = word.confidence.map { "\(($0 * 1_000).rounded() / 1_000)" } ?? ""
    return "\(thousandths(word.timestamp))\t\(end)\t\(row([word.substring]))\t\(confidence)"
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

  private func escaped(_ text: some StringProtocol) -> String {
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
  /// The words of the lines, with their times; empty if they are unknown.
  public var words: [TranscriptionSegment]
  /// The name of the speaker, which precedes the lines; nil if it is unknown.
  public var speaker: String?

  /// Creates a cue.
  public init(
    start: Duration, end: Duration, lines: [String], words: [TranscriptionSegment] = [],
    speaker: String? = nil
  ) {
    self.start = start
    self.end = end
    self.lines = lines
    self.words = words
    self.speaker = speaker
  }
}
