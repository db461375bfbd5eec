#if Plots
import AudioPlots
import FilePaths
import Wyoming

/// The cues of a transcript that `syrinx transcribe` wrote: WebVTT, SRT, or JSON lines.
struct TranscriptCues {
  /// The cues, in the order of the text.
  private(set) var cues: [PlotFrame.Cue] = []
  /// The line numbers, counted from 1, of the cues that are skipped because their times are
  /// impossible.
  private(set) var badLines: [Int] = []

  /// The possible times in seconds, up to a year.
  private static let possibleTimes = 0.0...31_536_000

  /// Reads the cues of a text.
  init(_ text: String) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if lines.first?.hasPrefix("{") == true {
      for (index, line) in lines.enumerated() { addJSON(line, number: index + 1) }
    } else {
      let start = lines.first?.drop { $0 == "\u{FEFF}" }
      addTimed(lines, isWebVTT: start?.hasPrefix("WEBVTT") == true)
    }
  }

  private mutating func add(_ text: String, from start: Double, to end: Double, line: Int) {
    guard Self.possibleTimes.contains(start), Self.possibleTimes.contains(end), end >= start else {
      return badLines.append(line)
    }
    cues.append(PlotFrame.Cue(.seconds(start)..<Duration.seconds(end), text))
  }

  /// Adds the cues in the lines of a WebVTT or SRT file.
  ///
  /// Each cue is a line with two times, followed by text up to an empty line or the next times.
  private mutating func addTimed(_ lines: [Substring], isWebVTT: Bool) {
    for (index, line) in lines.enumerated() where line.contains("-->") {
      let times = line.split(separator: " ", maxSplits: 3).map(String.init)
      guard times.count >= 3, times[1] == "-->", let start = Self.seconds(times[0]),
        let end = Self.seconds(times[2])
      else { continue }
      var parts = lines[(index + 1)...].prefix { !$0.isEmpty && !$0.contains("-->") }
      // Without an empty line before the next SRT cue, that cue's number looks like text, so the
      // number is removed.
      let next = parts.endIndex
      if !isWebVTT, next < lines.endIndex, lines[next].contains("-->"), let last = parts.last,
        last.allSatisfy(\.isNumber)
      {
        parts.removeLast()
      }
      let text = parts.joined(separator: " ").withoutCueTags
      add(isWebVTT ? Self.unescaped(text) : text, from: start, to: end, line: index + 1)
    }
  }

  /// Replaces the escapes of WebVTT; SRT has none.
  private static func unescaped(_ text: String) -> String {
    var text = text
    // `&amp;` is replaced last, because `&amp;lt;` means `&lt;`.
    let escapes = [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\u{A0}"), ("&amp;", "&")]
    for (escape, character) in escapes { text = text.replacing(escape, with: character) }
    return text
  }

  /// Parses `01:02:03.456` or `02:03.456`, with a point or a comma.
  private static func seconds(_ text: String) -> Double? {
    let parts = text.replacing(",", with: ".").split(separator: ":").map { Double($0) }
    guard (2...3).contains(parts.count), parts.allSatisfy({ $0.map { $0 >= 0 } ?? false }) else {
      return nil
    }
    return parts.compactMap { $0 }.reduce(0) { $0 * 60 + $1 }
  }

  /// Adds the cue of a final result with times; any other line is ignored.
  private mutating func addJSON(_ line: Substring, number: Int) {
    // The lines of other events lack these keys, so they add no cue.
    guard let line = JSONValue(parsing: Array(line.utf8)), line["final"]?.bool == true,
      let text = line["text"]?.string, let start = line["start"]?.number,
      let end = line["end"]?.number
    else { return }
    add(text, from: start, to: end, line: number)
  }
}

extension String {
  private static let cueTagNames: Set<Substring> = [
    "b", "c", "font", "i", "lang", "rt", "ruby", "s", "u", "v",
  ]
  /// The maximum length of a tag; without this limit, a text of many `<` would take quadratic time.
  private static let longestCueTag = 256

  /// The text without the tags of SRT and WebVTT: `<i>`, `</c>`, `<font color="red">`, `<v Ann>`,
  /// and the time of a word, `<00:01.500>`.
  ///
  /// Any other text in angle brackets is kept.
  fileprivate var withoutCueTags: String {
    var (text, rest) = ("", self[...])
    while let start = rest.firstIndex(of: "<") {
      text += rest[..<start]
      rest = rest[start...]
      let tag = rest.prefix(Self.longestCueTag)
      if let end = tag.firstIndex(of: ">"), Self.isCueTag(tag[..<end].dropFirst()) {
        rest = rest[rest.index(after: end)...]
      } else {
        text.append(rest.removeFirst())
      }
    }
    return text + rest
  }

  /// Returns whether the text between two angle brackets is a tag.
  private static func isCueTag(_ content: Substring) -> Bool {
    let content = content.first == "/" ? content.dropFirst() : content
    let name = content.prefix(while: \.isLetter)
    guard name.isEmpty else {
      let next = content[name.endIndex...].first
      return cueTagNames.contains(name.lowercased()[...])
        && next.map { $0 == "." || $0.isWhitespace } ?? true
    }
    return content.contains(":") && content.allSatisfy { $0.isNumber || $0 == ":" || $0 == "." }
  }
}
#endif
