#if Plots
import ArgumentParser
import AudioCore
import AudioPlots
import FilePaths
import SoundFile

/// `syrinx plot`: draws a waveform or a spectrogram.
struct PlotCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "plot",
    abstract: "Draw the waveform or the spectrogram of a file.",
    discussion: """
      Examples:
        syrinx plot song.flac
        syrinx plot song.flac -o song.png --spectrogram
        syrinx plot talk.wav -o talk.svg --transcript talk.srt

      The extension of --output selects the format: png, svg, or pdf. Without --output, the plot is \
      drawn in the terminal: as a picture if the terminal supports kitty or sixel graphics, \
      otherwise in Braille characters. An existing file stays until the new one is complete.

      With --data, the lowest and highest samples are written as numbers, in the formats of \
      audiowaveform (version 2), to --output or standard output.
      """)

  @Argument(help: "File in any format that `syrinx play` reads; - for standard input.")
  var file: FilePath

  @Option(name: .shortAndLong, help: "File to write; - for a PNG on standard output.")
  var output: FilePath?

  @Flag(help: "Draw frequencies over time.")
  var spectrogram = false

  @Option(help: "Frequencies of a spectrogram: linear, or mel (as pitch is perceived).")
  var scale = FrequencyScale.linear

  @Option(help: "Width in pixels.")
  var width: Int?

  @Option(help: "Height in pixels.")
  var height: Int?

  @Option(help: "Text above the plot (default: the file's name).")
  var title: String?

  @Option(
    help: ArgumentHelp(
      "Transcript whose cues are drawn below: srt, vtt, or the JSON lines of `syrinx transcribe`.",
      valueName: "file"))
  var transcript: FilePath?

  @Option(help: "Write peaks instead of a plot: json or dat.")
  var data: PeakFormat?

  @Option(help: ArgumentHelp("With --data, frames for each pair of peaks.", valueName: "frames"))
  var samplesPerPixel = 256

  @Option(help: ArgumentHelp("With --data, bits of each peak: 8 or 16.", valueName: "bits"))
  var bits = 16

  @OptionGroup var common: CommonOptions

  /// The value of `--scale`.
  enum FrequencyScale: String, CaseIterable, ExpressibleByArgument {
    case linear, mel

    var scale: SpectrogramImage.Scale { self == .mel ? .mel : .linear }
  }

  /// The value of `--data`.
  enum PeakFormat: String, CaseIterable, ExpressibleByArgument { case json, dat }

  func validate() throws {
    try check("--width", width, in: 200...16_384, "a width in pixels")
    try check("--height", height, in: 100...16_384, "a height in pixels")
    try check("--samples-per-pixel", samplesPerPixel, in: 2...10_000_000, "a number of frames")
    guard [8, 16].contains(bits) else {
      throw ValidationError("--bits takes 8 or 16, not \(bits).")
    }
    guard transcript != "-" || file != "-" else {
      throw ValidationError("standard input (-) can be read only once.")
    }
    if let output, let input = file == "-" ? nil : file, output.isSameFile(as: input) {
      throw ValidationError("\(output) is the file to plot; write to another file.")
    }
    guard data == nil, let output, output != "-" else { return }
    guard PlotFormat(rawValue: output.pathExtension.lowercased()) != nil else {
      throw ValidationError("\(output): the extension of a plot is png, svg, or pdf.")
    }
  }

  func perform(in context: CommandContext) async throws {
    try await context.cancelledBySignals {
      let transcribed = try await cues()
      for line in transcribed?.badLines ?? [] {
        await context.console.report(
          "\(transcript ?? "-"), line \(line): the times of the cue are not in order between 0 and "
            + "31536000 s; it is left out")
      }
      try await plot(transcribed?.cues ?? [], in: context)
      guard transcribed?.badLines.isEmpty ?? true else { throw CommandEnd.reported }
    }
  }

  private func plot(_ cues: [PlotFrame.Cue], in context: CommandContext) async throws {
    if let data {
      let image = try await require(
        buffers(in: context).waveformImage(framesPerColumn: FrameCount(samplesPerPixel)))
      let peaks = PeakData(image, bits: bits)
      return try await write(data == .json ? peaks.json : peaks.dat, in: context)
    }
    let size = TerminalSize(.output)
    var frame = PlotFrame(
      width: width ?? (output == nil ? size.width : 1_200), height: height ?? 400,
      title: title ?? (file == "-" ? "standard input" : "\(file.name)"), cues: cues)
    let plot = try await audioPlot(width: frame.width, height: frame.height, in: context)
    if let output {
      let format = PlotFormat(rawValue: output.pathExtension.lowercased()) ?? .png
      return try await write([try plot.data(as: format, frame)], in: context)
    }
    let graphics = await TerminalGraphics.ofTerminal(signals: context.signals)
    if height == nil { frame.height = max(200, min(400, frame.width / 3)) }
    let text = try plot.text(for: graphics, columns: size.columns, frame)
    try await context.console.write(Array(text.utf8))
  }

  private func audioPlot(
    width: Int, height: Int, in context: CommandContext
  ) async throws -> AudioPlot {
    let buffers = buffers(in: context)
    guard spectrogram else {
      return .waveform(try await require(buffers.waveformImage(columnCount: width)))
    }
    return .spectrogram(
      try await require(
        buffers.spectrogramImage(scale.scale, columnCount: width / 2, rowCount: min(height, 512))))
  }

  private func buffers(
    in context: CommandContext
  ) -> AsyncThrowingStream<AudioBuffer, any Error> {
    let report = { @Sendable (shortfall: SoundFileShortfall) in
      context.problems.append(.shortfall(shortfall, file: file == "-" ? "standard input" : file))
    }
    return file == "-"
      ? SoundFile.buffers(ofFileDescriptor: 0, framesPerBuffer: 16_384, onShortfall: report)
      : SoundFile.buffers(of: file.source, framesPerBuffer: 16_384, onShortfall: report)
  }

  private func require<Image>(_ image: Image?) throws -> Image {
    try Task.checkCancellation()
    guard let image else { throw CommandFailure(description: "\(file) holds no audio") }
    return image
  }

  private func cues() async throws -> TranscriptCues? {
    guard let transcript else { return nil }
    let cues = TranscriptCues(try await TextFile(transcript).text(atMost: 64 << 20))
    guard !(cues.cues.isEmpty && cues.badLines.isEmpty) else {
      throw CommandFailure(
        description: "\(transcript) has no cues; `syrinx transcribe --format srt` writes some")
    }
    return cues
  }

  /// Writes to `--output`, complete or not at all, or to standard output.
  private func write(
    _ blocks: some Sequence<[UInt8]> & Sendable, in context: CommandContext
  ) async throws {
    guard let output, output != "-" else {
      guard data == .json || !StandardDescriptor.output.isTerminal else {
        throw ValidationError("standard output is a terminal; redirect it to a pipe or a file.")
      }
      for block in blocks { try await context.console.write(block) }
      return
    }
    let file = try TranscriptFile(path: output.text)
    for block in blocks { try await file.write(block) }
    try await file.complete()
  }
}
#endif
