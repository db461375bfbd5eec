#if Plots
import AudioCore
import AudioPlots
import AudioThreads
import FilePaths
import FoundationEssentials
import Glibc

/// A waveform or a spectrogram.
protocol AudioPlot: Sendable {
  var format: AudioFormat { get }
  var duration: Duration { get }
  func data(as format: PlotFormat, _ frame: PlotFrame) throws(PlotError) -> [UInt8]
  func bitmap(_ frame: PlotFrame) throws(PlotError) -> Bitmap
  func braille(columns: Int, rows: Int) -> [String]
}

extension WaveformImage: AudioPlot {}
extension SpectrogramImage: AudioPlot {}

extension AudioPlot {
  /// Returns the text that shows the plot on a terminal.
  func text(for graphics: TerminalGraphics, columns: Int, _ frame: PlotFrame) throws -> String {
    switch graphics {
    case .kitty: TerminalGraphics.kittyText(try data(as: .png, frame)) + "\n"
    case .sixel: try bitmap(frame).sixel + "\n"
    case .braille: brailleLines(columns: columns, frame).joined(separator: "\n") + "\n"
    }
  }

  /// Returns the lines of the title, the Braille drawing, the time axis, and the cues.
  private func brailleLines(columns: Int, _ frame: PlotFrame) -> [String] {
    let (width, rows) = (max(8, columns - 1), format.channelCount > 1 ? 6 : 8)
    let title = String("\(frame.title) (\(format))".prefix(columns: width))
    let cues = frame.cues.map { cue in
      String("\(cue.time.lowerBound.clockText) \(cue.text)".prefix(columns: width))
    }
    return [title] + braille(columns: width, rows: rows) + [axis(width)] + cues
  }

  /// Returns the time axis: the times of its start, its end, and if there is room, its middle.
  private func axis(_ width: Int) -> String {
    let (end, middle) = (duration.clockText, (duration / 2).clockText)
    var line = Array(repeating: Character(" "), count: width)
    let places = [(0, "0:00"), (width / 2 - middle.count / 2, middle), (width - end.count, end)]
    for (place, text) in width < 30 ? [places[0], places[2]] : places {
      for (index, character) in text.enumerated() where line.indices.contains(place + index) {
        line[place + index] = character
      }
    }
    return String(line)
  }
}

extension TerminalGraphics {
  /// Encodes a PNG for a terminal with kitty graphics, in pieces of 4,096 bytes.
  static func kittyText(_ png: [UInt8]) -> String {
    let text = Array(Data(png).base64EncodedString().utf8)
    var (result, begin) = ("", 0)
    while begin < text.count {
      let end = min(begin + 4_096, text.count)
      let keys = (begin == 0 ? "a=T,f=100," : "") + "m=\(end < text.count ? 1 : 0)"
      result += "\u{1B}_G\(keys);\(String(decoding: text[begin..<end], as: UTF8.self))\u{1B}\\"
      begin = end
    }
    return result
  }
}

/// Creates the records that `syrinx plot --json` prints.
extension JSONRecord {
  /// The help text about the JSON output.
  static let plotSchema = """
    With --json, each plot that is written is an object: "file" (as given; \(FilePath.jsonHelp)), \
    "output" (its full path), "kind" (waveform, spectrogram, or peaks), "format" (png, svg, or pdf; \
    json or dat for peaks), "width" and "height" in pixels and the number of "cues" (not for peaks), \
    and, of the audio, "rate", "channelCount", and "length" in seconds. A file that failed is an object \
    with "file" and "error".
    """

  /// Creates the record of a plot; `kind` is waveform, spectrogram, or peaks, and `frame` is nil
  /// for peaks.
  init(
    _ file: FilePath, _ output: FilePath, _ kind: String, format: String, of plot: any AudioPlot,
    _ frame: PlotFrame? = nil
  ) {
    self = [
      "file": file, "output": output.absolute, "kind": kind, "format": format,
      "width": frame?.width, "height": frame?.height, "cues": frame?.cues.count,
      "rate": plot.format.sampleRate.hertz, "channelCount": plot.format.channelCount,
      "length": plot.duration.inRecordSeconds,
    ]
  }
}

/// The way in which a terminal shows pictures.
enum TerminalGraphics: Equatable {
  case kitty
  case sixel
  case braille

  /// The query for kitty graphics, followed by the query for the device attributes.
  ///
  /// Every terminal responds to the second query, so its response ends the wait.
  private static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"

  /// Determines the type of graphics from a terminal's response.
  init(answer: String) {
    if answer.contains("_Gi=31;OK") {
      self = .kitty
    } else if Self.attributes(answer)?.contains("4") == true {
      self = .sixel
    } else {
      self = .braille
    }
  }

  /// Returns the numbers between `ESC [ ?` and `c`; nil if the response does not contain them.
  private static func attributes(_ answer: String) -> [Substring]? {
    guard let start = answer.firstRange(of: "\u{1B}[?"),
      let end = answer[start.upperBound...].firstIndex(of: "c")
    else { return nil }
    return answer[start.upperBound..<end].split(separator: ";")
  }

  /// Queries the controlling terminal on a separate thread.
  ///
  /// If a terminal does not respond within half a second, the result is Braille.
  ///
  /// - Parameter signals: restores the terminal if a second signal ends the process.
  static func ofTerminal(signals: StopSignals) async -> TerminalGraphics {
    guard OutputDescriptor.output.isStyled else { return .braille }
    // Waits even if the caller is canceled, because the thread must restore the terminal.
    let text = try? await DedicatedThread.runToEnd(name: "syrinx-terminal") { answer(signals) }
    return TerminalGraphics(answer: text ?? "")
  }

  private static func answer(_ signals: StopSignals) -> String {
    let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return "" }
    defer { close(terminal) }
    guard let mode = KeyTerminal(descriptor: terminal, readLimitInTenths: 5) else { return "" }
    defer { mode.restore() }
    signals.beforeExit { mode.restore() }
    let written = Array(question.utf8).withUnsafeBytes { writeAll($0, to: terminal) }
    guard written == 0 else { return "" }
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < 1_024, read(terminal, &byte, 1) == 1 {
      bytes.append(byte)
      // Only the device attributes end with `c` after `ESC [ ?`, so the response is complete.
      if attributes(String(decoding: bytes, as: UTF8.self)) != nil { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
#endif
