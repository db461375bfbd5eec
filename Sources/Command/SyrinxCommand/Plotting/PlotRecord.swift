#if Plots
import AudioCore
import AudioPlots
import FilePaths

/// The output of `syrinx plot --json`.
extension JSONRecord {
  /// The documentation of the JSON in the help.
  static let plotSchema = """
    With --json, each plot that is written is an object: "file" (as given; \(FilePath.jsonHelp)), \
    "output" (its full path), "kind" (waveform, spectrogram, or peaks), "format" (png, svg, or pdf; \
    json or dat for peaks), "width" and "height" in pixels and the number of "cues" (not for peaks), \
    and, of the audio, "rate", "channelCount", and "length" in seconds. A file that failed is an object \
    with "file" and "error".
    """

  /// - Parameters:
  ///   - kind: waveform, spectrogram, or peaks.
  ///   - frame: nil for peaks.
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
#endif
