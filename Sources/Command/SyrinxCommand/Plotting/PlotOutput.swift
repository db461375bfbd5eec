#if Plots
import AudioCore
import AudioPlots
import FilePaths
import FoundationEssentials

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
  /// The text that shows the plot on a terminal.
  func text(for graphics: TerminalGraphics, columns: Int, _ frame: PlotFrame) throws -> String {
    switch graphics {
    case .kitty: TerminalGraphics.kittyText(try data(as: .png, frame)) + "\n"
    case .sixel: try bitmap(frame).sixel + "\n"
    case .braille: brailleLines(columns: columns, frame).joined(separator: "\n") + "\n"
    }
  }

  /// The title, the drawing, a time axis, and the cues.
  private func brailleLines(columns: Int, _ frame: PlotFrame) -> [String] {
    let (width, rows) = (max(8, columns - 1), format.channelCount > 1 ? 6 : 8)
    let title = String("\(frame.title) (\(format))".prefix(columns: width))
    let cues = frame.cues.map { cue in
      String("\(cue.time.lowerBound.clockText) \(cue.text)".prefix(columns: width))
    }
    return [title] + braille(columns: width, rows: rows) + [axis(width)] + cues
  }

  /// The beginning, the middle, and the end of the time, as far as there is room.
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
  /// A PNG for a terminal with kitty graphics, in pieces of 4,096 bytes.
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
#endif
