#if Plots
import AudioPlots
import FilePaths
import FoundationEssentials

/// The cues of a transcript that `syrinx transcribe` wrote: WebVTT, SRT, or JSON lines.
enum TranscriptCues {
  /// The cues of a text, in its order; empty where it has none.
  static func cues(in text: String) -> [PlotFrame.Cue] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.hasSuffix("\r") ? $0.dropLast() : $0
    }
    return lines.first?.hasPrefix("{") == true ? lines.compactMap(jsonCue) : timedCues(lines)
  }

  /// Each cue is a line with two times, and lines of text up to an empty one.
  private static func timedCues(_ lines: [Substring]) -> [PlotFrame.Cue] {
    var cues: [PlotFrame.Cue] = []
    for (index, line) in lines.enumerated() {
      let times = line.split(separator: " ").map(String.init)
      guard times.count >= 3, times[1] == "-->", let begin = seconds(times[0]),
        let end = seconds(times[2]), end >= begin
      else { continue }
      let text = lines[(index + 1)...].prefix { !$0.isEmpty }.joined(separator: " ")
      cues.append(PlotFrame.Cue(.seconds(begin)..<Duration.seconds(end), text))
    }
    return cues
  }

  /// `01:02:03.456`, `02:03.456`, or with a comma.
  private static func seconds(_ text: String) -> Double? {
    let parts = text.replacing(",", with: ".").split(separator: ":").map { Double($0) }
    guard (2...3).contains(parts.count), parts.allSatisfy({ $0.map { $0 >= 0 } ?? false }) else {
      return nil
    }
    return parts.compactMap { $0 }.reduce(0) { $0 * 60 + $1 }
  }

  private struct Line: Decodable {
    let final: Bool?
    let text: String?
    let start: Double?
    let end: Double?
  }

  /// A final result with times; other lines have none.
  private static func jsonCue(_ line: Substring) -> PlotFrame.Cue? {
    // Lines of other events lack the keys, which makes no cue.
    guard let line = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)),
      line.final == true, let text = line.text, let start = line.start, let end = line.end,
      end >= start
    else { return nil }
    return PlotFrame.Cue(.seconds(start)..<Duration.seconds(end), text)
  }
}
#endif
