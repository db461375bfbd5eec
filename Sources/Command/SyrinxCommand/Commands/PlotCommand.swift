#if Plots
public import ArgumentParser
import AudioCore
import AudioPlots
import FilePaths
import SoundFile

/// `syrinx plot`: draws waveforms or spectrograms.
struct PlotCommand: FileListSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "plot",
    abstract: "Draw the waveforms or the spectrograms of files.",
    discussion: """
      Examples:
        syrinx plot song.flac -o song.png --spectrogram
        syrinx plot talk.wav -o talk.svg --transcript talk.srt
        syrinx plot *.flac --output-dir plots --to svg

      The extension of --output selects the format: png, svg, or pdf. With --output-dir, the plot of \
      song.flac is song.png in that folder, or has the extension that --to names. Without either, plots are \
      drawn in the terminal: as pictures if the terminal supports kitty or sixel graphics, \
      otherwise in Braille characters. An existing file stays until the new one is complete, and keeps \
      its permissions. If --output names a link, its target is replaced; a \
      named pipe or a device is written directly.

      With --data, the lowest and highest samples are written as numbers, in the formats of \
      audiowaveform (version 2), to --output, --output-dir, or standard output.

      With several files, each failure is reported, the other files are drawn, and the exit status is 1.

      \(JSONRecord.plotSchema)
      """)

  @Argument(help: "Files in any format that `syrinx play` reads; - for standard input.")
  var files: [FilePath]

  @Option(name: .shortAndLong, help: "File to write; - for a PNG on standard output.")
  var output: FilePath?

  @Option(help: .value("folder", "Folder for the plots; created if it does not exist."))
  var outputDir: FilePath?

  @Option(
    help: .value(
      "format", "With --output-dir, format of the plots: png, svg, or pdf (default: png)."),
    transform: Self.format)
  var to: PlotFormat?

  @Flag(help: "Draw frequencies over time.")
  var spectrogram = false

  @Option(
    help:
      "With --spectrogram, frequency axis: linear, or mel for perceived pitch (default: linear).")
  var scale: SpectrogramImage.Scale?

  @Option(help: "Width in pixels.")
  var width: Int?

  @Option(help: "Height in pixels (default: 400, or more for many channels).")
  var height: Int?

  @Option(help: "Text above the plot (default: the name of its file).")
  var title: String?

  @Option(
    help: .value(
      "file",
      "Transcript whose cues are drawn below: srt, vtt, or the JSON lines of `syrinx transcribe`."))
  var transcript: FilePath?

  @Option(help: "Write peaks instead of a plot: json or dat.")
  var data: PeakFormat?

  @Option(help: .value("frames", "With --data, frames for each pair of peaks (default: 256)."))
  var samplesPerPixel: Int?

  @Option(help: .value("bits", "With --data, bits of each peak: 8 or 16 (default: 16)."))
  var bits: Int?

  @OptionGroup var raw: RawInputOptions

  @OptionGroup var json: JSONOption

  @OptionGroup var parallel: JobsOption

  @OptionGroup var common: CommonOptions

  var rawInput: RawAudioFormat? { raw.format }

  /// The value of `--data`.
  enum PeakFormat: String, CaseIterable, ExpressibleByArgument { case json, dat }

  func validate() throws {
    try check("--width", width, in: 200...16_384, "a width in pixels")
    try check("--height", height, in: 100...16_384, "a height in pixels")
    try check("--samples-per-pixel", samplesPerPixel, in: 2...10_000_000, "a number of frames")
    if let bits { try require([8, 16].contains(bits), "--bits takes 8 or 16, not \(bits).") }
    try checkCombination()
    try checkOperands(files + (transcript.map { [$0] } ?? []))
    try require(
      files.count == 1 || (output == nil && transcript == nil),
      "--output and --transcript take one file, not \(files.count); use --output-dir.")
    try require(
      data == nil || outputDir != nil || files.count == 1,
      "the peaks of several files need --output-dir.")
    try require(
      outputDir != nil || to == nil,
      "--to requires --output-dir; the extension of --output is its format.")
    try require(
      to == nil || data == nil, "--to is the format of a plot; --data names that of peaks.")
    try require(
      !json.isOn || outputDir != nil || !(output == nil || output == "-"),
      "standard output cannot take the plot and --json; name a file with -o, or use --output-dir.")
    try checkOutputs()
    try checkExtension()
  }

  /// Throws if an option has no effect because another option is present or missing.
  private func checkCombination() throws {
    try require(scale == nil || spectrogram, "--scale requires --spectrogram.")
    let ofPeaks = [("--samples-per-pixel", samplesPerPixel != nil), ("--bits", bits != nil)]
    let ofPlots = [
      ("--spectrogram", spectrogram), ("--width", width != nil), ("--height", height != nil),
      ("--title", title != nil), ("--transcript", transcript != nil),
    ]
    if data == nil, let option = ofPeaks.first(where: \.1) {
      throw ValidationError("\(option.0) requires --data.")
    }
    if data != nil, let option = ofPlots.first(where: \.1) {
      throw ValidationError(
        "\(option.0) has no effect on the numbers of --data; use only one of them.")
    }
  }

  /// Throws if the extension of the output does not match its format.
  private func checkExtension() throws {
    guard let output, output != "-" else { return }
    let ending = output.pathExtension.lowercased()
    guard let data else {
      return try require(
        PlotFormat(rawValue: ending) != nil,
        "\(output): the extension of a plot is png, svg, or pdf.")
    }
    try require(
      ending == data.rawValue
        || (PeakFormat(rawValue: ending) == nil && PlotFormat(rawValue: ending) == nil),
      "\(output) has another extension than --data \(data.rawValue); name a .\(data.rawValue) file."
    )
  }

  private static func format(_ name: String) throws -> PlotFormat {
    guard let format = PlotFormat(rawValue: name) else {
      throw ValidationError("use png, svg, or pdf.")
    }
    return format
  }

  private func checkOutputs() throws {
    try require(outputDir == nil || output == nil, "--output and --output-dir exclude each other.")
    try require(
      outputDir == nil || !files.contains("-"),
      "standard input (-) has no name for a plot; name it with -o.")
    let outputs = files.compactMap(output(of:)).filter { $0 != "-" }
    let inputs = Set(
      (files + [transcript].compactMap(\.self)).filter { $0 != "-" }.map(\.identity))
    if let output = outputs.first(where: { inputs.contains($0.identity) }) {
      throw ValidationError("\(output) is an input; write to another file.")
    }
    try require(
      Set(outputs.map(\.identity)).count == outputs.count,
      "two files have the same name: their plots would be one file.")
  }

  /// Returns the output file for a plot or peaks; nil if the plot goes to the terminal.
  private func output(of file: FilePath) -> FilePath? {
    guard let outputDir else { return output }
    let ending = data?.rawValue ?? (to ?? .png).rawValue
    return outputDir.appending(FilePath(bytes: file.stem.bytes + ".\(ending)".utf8))
  }

  func perform(in context: CommandContext) async throws {
    if let outputDir { try await makeFolder(outputDir) }
    try await context.canceledBySignals {
      let transcribed = try await cues()
      for line in transcribed?.badLines ?? [] {
        await context.console.report(
          "\(transcript ?? "-"), line \(line): the cue was skipped: its times must be in order and "
            + "within a year")
      }
      try await plotFiles(transcribed?.cues ?? [], in: context)
      guard transcribed?.badLines.isEmpty ?? true else { throw CommandEnd.reported }
    }
  }

  private func plotFiles(_ cues: [PlotFrame.Cue], in context: CommandContext) async throws {
    // A terminal shows one plot at a time.
    let jobs = outputDir == nil ? 1 : parallel.count
    try await context.forEachFile(files, jobs: jobs, showsProgress: true, inputs: { [$0] }) {
      file, console in
      try await plot(file, cues, progress: console, in: context)
    } whenFailed: { file, error in
      guard json.isOn else { return }
      let sentence = ErrorReport.sentence(error, of: [file])
      try await context.console.print(JSONRecord(file, error: sentence).jsonLine())
    } _: { _, record in
      if json.isOn, let record { try await context.console.print(record.jsonLine()) }
      return true
    }
  }

  /// Draws a file; returns nil if the plot went to the terminal.
  private func plot(
    _ file: FilePath, _ cues: [PlotFrame.Cue], progress console: Console?,
    in context: CommandContext
  ) async throws -> JSONRecord? {
    let output = output(of: file)
    if let data {
      let image = try await image(of: file, context.problems, progress: console) {
        try await $0.waveformImage(framesPerColumn: FrameCount(samplesPerPixel ?? 256))
      }
      let peaks = PeakData(image, bits: bits ?? 16)
      try await write(data == .json ? peaks.json : peaks.dat, to: output, in: context)
      return output.map { JSONRecord(file, $0, "peaks", format: data.rawValue, of: image) }
    }
    let terminal = OutputDescriptor.output
    var frame = PlotFrame(
      width: width ?? (output == nil ? terminal.pictureWidth : 1_200), height: height ?? 400,
      title: title ?? "\(file.shownName.name)", cues: cues)
    let plot = try await image(of: file, context.problems, progress: console) {
      try await audioPlot(of: $0, width: frame.width, height: frame.height)
    }
    if height == nil {
      let usual = output == nil ? max(200, min(400, frame.width / 3)) : frame.height
      frame.height = max(usual, frame.roomyHeight(channelCount: plot.format.channelCount))
    }
    if let output {
      let format = PlotFormat(rawValue: output.pathExtension.lowercased()) ?? .png
      try await write([try plot.data(as: format, frame)], to: output, in: context)
      return JSONRecord(
        file, output, spectrogram ? "spectrogram" : "waveform", format: format.rawValue, of: plot,
        frame)
    }
    let graphics = await TerminalGraphics.ofTerminal(signals: context.signals)
    let text = try plot.text(for: graphics, columns: terminal.columns, frame)
    try await context.console.write(Array(text.utf8))
    return nil
  }

  private func audioPlot(
    of buffers: ObservedBuffers, width: Int, height: Int
  ) async throws -> (any AudioPlot)? {
    guard spectrogram else { return try await buffers.waveformImage(columnCount: width) }
    return try await buffers.spectrogramImage(
      scale ?? .linear, columnCount: width / 2, rowCount: min(height, 512))
  }

  /// Reads a file and returns the image that `make` draws.
  ///
  /// - Throws: `CommandFailure` if there is no audio.
  private func image<Image>(
    of file: FilePath, _ problems: FileProblems, progress console: Console?,
    _ make: (ObservedBuffers) async throws -> Image?
  ) async throws -> Image {
    // Long buffers mean fewer switches between threads.
    let image = try await file.readAudio(
      framesPerBuffer: 131_072, problems: problems, progress: console, make)
    try Task.checkCancellation()
    guard let image else { throw CommandFailure("\(file) holds no audio") }
    return image
  }

  private func cues() async throws -> TranscriptCues? {
    guard let transcript else { return nil }
    let cues = TranscriptCues(try await transcript.readText(atMost: 64 << 20))
    guard !(cues.cues.isEmpty && cues.badLines.isEmpty) else {
      throw CommandFailure(
        "\(transcript) has no cues; `syrinx transcribe --format srt` writes some")
    }
    return cues
  }

  /// Writes to standard output, or to a file, which appears only when it is complete.
  private func write(
    _ blocks: some Sequence<[UInt8]> & Sendable, to output: FilePath?, in context: CommandContext
  ) async throws {
    guard let output, output != "-" else {
      try require(
        data == .json || !OutputDescriptor.output.isTerminal,
        "standard output is a terminal; redirect it to a pipe or a file.")
      for block in blocks { try await context.console.write(block) }
      return
    }
    let file = try PendingOutput(path: output.text, followsLinks: outputDir == nil)
    for block in blocks { try await file.write(block) }
    try await file.complete()
  }
}

extension SpectrogramImage.Scale: ExpressibleByArgument {}
#endif
