#if Plots
import AudioCore
import AudioPlots
import FilePaths

/// The output of `syrinx plot --json`.
struct PlotRecord: Encodable {
  enum Kind: String, Encodable { case waveform, spectrogram, peaks }

  let file: FilePath
  let output: FilePath
  let kind: Kind
  let format: String
  let width: Int?
  let height: Int?
  let cues: Int?
  let rate: Int
  let channelCount: Int
  let length: Double

  /// - Parameter frame: nil for peaks.
  init(
    _ file: FilePath, _ output: FilePath, _ kind: Kind, format: String, of plot: any AudioPlot,
    _ frame: PlotFrame? = nil
  ) {
    (self.file, self.output, self.kind, self.format) = (file, output.absolute, kind, format)
    (width, height, cues) = (frame?.width, frame?.height, frame?.cues.count)
    rate = plot.format.sampleRate.hertz
    channelCount = plot.format.channelCount
    length = plot.duration.inRecordSeconds
  }

  /// The documentation of the JSON in the help.
  static let schema = """
    With --json, each plot that is written is an object: "file" (as given; \(FilePath.jsonHelp)), \
    "output" (its full path), "kind" (waveform, spectrogram, or peaks), "format" (png, svg, or pdf; \
    json or dat for peaks), "width" and "height" in pixels and the number of "cues" (not for peaks), \
    and, of the audio, "rate", "channelCount", and "length" in seconds. A file that failed is an object \
    with "file" and "error".
    """
}
#endif
