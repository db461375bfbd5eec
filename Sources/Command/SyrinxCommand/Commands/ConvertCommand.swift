import ArgumentParser
import AudioCore
import Conversion
import FilePaths
import Glibc
import Loudness
import SoundFile

/// `syrinx convert`: converts, cuts, joins, and mixes sound files.
struct ConvertCommand: FileListSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert, cut, join, or mix sound files.",
    discussion: """
      Examples:
        syrinx convert talk.wav talk.mp3 --tag ARTIST=Ann --cover ann.jpg
        syrinx convert intro.wav talk.flac whole.opus --normalize -1 --fade-out 2
        syrinx convert *.flac --to opus --output-dir small

      The last file is the output, or name it with -o. When two or more inputs are joined or mixed, \
      only -o overwrites an existing file. Inputs are joined without a gap, or mixed with --mix. With \
      --to or --output-dir, each input becomes a file of its own, which overwrites an existing one. With \
      --split-at-silence or --every, the output is numbered: take-001.wav, or take-%02d.wav as named.

      Rate, channels, and bits are those of the first input, unless you request others or the format \
      cannot store them. A mix has the highest rate and the most channels of its inputs. Where nothing changes, samples of up to 24 bits and float samples stay \
      exactly as they are. Noise (dither) is added only where samples are rounded to 16 \
      bits. Files on the web count as lossy: without --bits, they become 16 bits. A \
      message reports every loss of bits that was not requested.

      Tags, pictures, and WAV chunks are those of the first input; cues and chapters are those of all \
      joined inputs, and with --mix those of the first one. They move with the audio, but \
      --trim-silence and --split-at-silence remove them. A message reports what the format cannot \
      hold. --normalize recomputes the tags of ReplayGain and R 128, and --gain changes them.

      The output - streams to standard output: WAV, or another format with --to. AIFF and CAF cannot \
      be piped. In a pipe, AU, FLAC, and MP3 have no length; WAV has the largest length and no tags.

      An output appears only when it is complete, so it may be one of the inputs. A failure or an \
      interruption leaves the existing file. If an input is truncated, the output has the remaining \
      audio and never overwrites an input; the exit status is 1. With several files, each failure is \
      reported, the other files are converted, and the exit status is 1.

      \(JSONRecord.conversionSchema)
      """)

  @Argument(help: "Inputs, and at the end the output; - for standard input and output.")
  var files: [FilePath]

  @Option(
    name: [.customShort("o"), .long], help: .value("file", "Output; all other files are inputs."))
  var output: FilePath?

  @Option(
    help: .value(
      "format",
      "Format of the output: wav, aiff, au, caf, flac, ogg, opus, or mp3 (default: that of the extension)."
    ))
  var to: String?

  @Option(help: .value("folder", "Folder for the outputs; created if it does not exist."))
  var outputDir: FilePath?

  @Flag(help: "Mix the inputs instead of joining them.")
  var mix = false

  @OptionGroup(title: "Changes") var options: ConversionOptions

  @OptionGroup(title: "Tags and pictures") var metadata: MetadataOptions

  @Flag(help: "With output -, write samples without a header.")
  var raw = false

  @Option(name: .customLong("raw-input"), help: RawShapeOptions.help)
  var rawCoding: RawAudioFormat.Coding?

  @OptionGroup var rawShape: RawShapeOptions

  @OptionGroup var json: JSONOption

  @OptionGroup var parallel: JobsOption

  @OptionGroup var common: CommonOptions

  var rawInput: RawAudioFormat? { (try? rawShape.format(rawCoding)) ?? nil }

  func validate() throws {
    try checkContainer("--to", to)
    _ = try rawShape.format(rawCoding)
    let isCoding = { (file: FilePath) in
      RawAudioFormat.Coding(rawValue: file.text) != nil && file.status == nil
    }
    if raw, let name = files.first(where: isCoding) {
      throw ValidationError("--raw describes the output; use --raw-input \(name) for the inputs.")
    }
    let jobs = try plan()
    try checkOperands(jobs.flatMap(\.inputs))
    for job in jobs { try check(job) }
    try checkLastFile()
    try checkOutputs(of: jobs)
    try require(!(mix && isBatch), "--mix needs one output; name it with -o.")
  }

  /// Prevents `syrinx convert *.wav` from overwriting the last file.
  private func checkLastFile() throws {
    guard output == nil, !isBatch, files.count > 2, let last = files.last,
      last.status?.isRegularFile == true,
      !files.dropLast().contains(where: last.isSameFile)
    else { return }
    throw ValidationError("\(last) exists; name the output with -o to overwrite it.")
  }

  /// Throws if two jobs would write the same file, or if a job would write a file that another job
  /// reads.
  private func checkOutputs(of jobs: [ConversionJob]) throws {
    guard jobs.count > 1 else { return }
    let outputs = jobs.map { $0.output.identity }
    try require(
      Set(outputs).count == jobs.count,
      "two inputs have the same name and would share one output file.")
    let inputs = jobs.map { Set($0.inputs.map(\.identity)) }
    let all = inputs.reduce(into: Set<[UInt64]>()) { $0.formUnion($1) }
    for (index, job) in jobs.enumerated()
    where all.contains(outputs[index]) && !inputs[index].contains(outputs[index]) {
      throw ValidationError(
        "\(job.output) is the output of \(job.inputs[0]) and an input as well; choose another folder."
      )
    }
    guard options.splits else { return }
    for input in jobs.flatMap(\.inputs) {
      guard let whole = input.wholeOfPart, outputs.contains(whole.identity) else { continue }
      throw ValidationError(
        "\(input) is an input, and a part of another output might overwrite it; choose another folder."
      )
    }
  }

  func perform(in context: CommandContext) async throws {
    let jobs = try plan()
    try require(
      !jobs.contains { $0.output == "-" } || !OutputDescriptor.output.isTerminal,
      "standard output (-) is a terminal; redirect it to a pipe or a file.")
    if let outputDir { try await makeFolder(outputDir) }
    try await context.canceledBySignals {
      try await convert(jobs, in: context)
    }
  }

  private func convert(_ jobs: [ConversionJob], in context: CommandContext) async throws {
    try await context.forEachFile(
      jobs, jobs: parallel.count, showsProgress: true, inputs: { $0.inputs }
    ) { job, console in
      try await job.run(
        changing: options, metadata, isMix: mix, from: rawInput, isRaw: raw, progress: console)
    } whenFailed: { job, error in
      guard json.isOn, job.output != "-" else { return }
      try await context.console.print(JSONRecord(job, error: error).jsonLine())
    } _: { job, result in
      try await report(result, of: job, in: context)
    }
  }

  /// Reports a result and returns whether it is complete.
  private func report(
    _ result: ConversionResult, of job: ConversionJob, in context: CommandContext
  ) async throws -> Bool {
    if json.isOn, job.output != "-" {
      for file in result.files {
        try await context.console.print(try JSONRecord(file, of: result, job).jsonLine())
      }
    }
    for shortfall in result.shortfalls {
      await context.console.report(
        "\(shortfall.source.name) is incomplete: \(shortfall.shortfall)")
    }
    for notice in result.notices {
      await context.console.report("\(notice.source.name): \(notice.notice)")
    }
    for omission in result.omissions {
      await context.console.report("\(job.output): \(omission)")
    }
    if let reduction = result.reduction {
      await context.console.report(
        "\(job.output): of \(reduction.stored) bits per sample, \(reduction.kept) are kept; "
          + "choose them with --bits, or a format that holds more")
    }
    if result.mixesFormats, options.rate == nil || options.channels == nil {
      await context.console.notify(
        "\(job.output): the inputs differ in rate or channels; the mix has "
          + "\(result.format.sampleRate.hertz) Hz and \(result.format.channelCount.counted("channel"))"
      )
    }
    if result.silencedSampleCount > 0 {
      await context.console.report(
        "\(job.inputs[0]): \(result.silencedSampleCount) samples were NaN or infinite and were "
          + "replaced by silence")
    }
    if result.isClipped {
      await context.console.report(
        "\(job.output): clipped, the peak is \(result.peak.levelText); "
          + "lower it with --normalize -1 or --gain")
    }
    if let limitation = result.limitation(of: options.normalize) {
      await context.console.report("\(job.output): \(limitation)")
    }
    if result.files.isEmpty {
      await context.console.report("\(job.inputs[0]): the input is silent, so no file was written")
    }
    return result.shortfalls.isEmpty && !result.files.isEmpty
  }

  /// Whether each input is converted to a separate output.
  private var isBatch: Bool {
    guard output == nil, to != nil || outputDir != nil else { return false }
    // With --to, a final - is the output, because no output name can be derived from standard
    // input.
    return outputDir != nil || files.count < 2 || files.last != "-"
  }

  /// Returns the conversions that the arguments request.
  private func plan() throws -> [ConversionJob] {
    let container = to.flatMap(SoundFileEncoding.Container.init(pathExtension:))
    if isBatch {
      return try files.map { file in
        try require(file != "-", "standard input (-) has no name for an output; name it with -o.")
        let name = to.map { FilePath(bytes: file.stem.bytes + [UInt8(ascii: ".")] + $0.utf8) }
        let output = (outputDir ?? file.folder).appending(name ?? file.name)
        return ConversionJob(inputs: [file], output: output, container: container)
      }
    }
    if let output {
      let target = outputDir.map { $0.appending(output) } ?? output
      return [ConversionJob(inputs: files, output: target, container: container)]
    }
    guard files.count > 1, let last = files.last else {
      throw ValidationError("an output is missing: name it last, or use -o, --to, or --output-dir.")
    }
    return [ConversionJob(inputs: files.dropLast(), output: last, container: container)]
  }

  private func check(_ job: ConversionJob) throws {
    if job.output == "-" {
      try require(
        job.container?.isStreamable ?? true,
        "standard output (-) takes wav, au, flac, ogg, opus, or mp3; the length of "
          + "\(job.container ?? .wav) precedes the audio, so name a file.")
      try require(
        !raw || job.container ?? .wav == .wav,
        "--raw writes samples without a header; leave out --to, or choose wav.")
      try require(!options.splits, "standard output (-) is one file; name a file to split into.")
      try require(!json.isOn, "standard output (-) cannot take the audio and --json.")
    } else {
      try require(!raw, "--raw requires the output - (standard output).")
      if job.container == nil { try checkExtension(of: job.output) }
    }
  }
}

/// Creates the records that `syrinx convert --json` prints.
extension JSONRecord {
  /// The help text about the JSON output.
  static let conversionSchema = """
    With --json, each output is an object: "inputs", "output" (its full path), "format" (its \
    extension), "bits", "sampleFormat" (int16, int24, int32, or float32), "rate", "channelCount", \
    "frames", "length" in seconds, "peak" of all outputs in dBFS, "gain" of --normalize in dB, \
    "limited" (the most that its limiter lowered a peak, in dB), and "loudness" of a limited result in \
    LUFS. A conversion that failed is an object with "inputs", "output", and "error".
    """

  init(_ file: ConversionResult.File, of result: ConversionResult, _ job: ConversionJob) {
    let samples = result.encoding.samples.map { $0 == .float ? "float32" : $0.rawValue }
    let rate = result.format.sampleRate
    self = [
      "inputs": job.inputs, "output": file.url.map { FilePath($0) } ?? job.output,
      "format": result.encoding.container.pathExtensions[0],
      "bits": samples.flatMap { Int($0.filter(\.isNumber)) }, "sampleFormat": samples,
      "rate": rate.hertz, "channelCount": result.format.channelCount,
      "frames": file.frameCount.rawValue,
      "length": file.frameCount.duration(at: rate).inRecordSeconds, "peak": result.peak.finite,
      "gain": result.gain.value.rounded(toParts: 100),
      "limited": (-result.limiterGain.value).tenths,
      "loudness": result.limitedLoudness?.lufs.tenths,
    ]
  }

  /// Creates the record of a failed conversion.
  init(_ job: ConversionJob, error: any Error) {
    self = [
      "inputs": job.inputs, "output": job.output,
      "error": ErrorReport.sentence(error, of: job.inputs),
    ]
  }
}

extension ConversionResult {
  /// Returns a sentence about the limiter: the largest reduction of a peak, and the loudness if it
  /// misses the target; nil if nothing was limited.
  fileprivate func limitation(of normalization: AudioConversion.Normalization?) -> String? {
    guard case .loudness(let target) = normalization, limiterGain < Decibels(0) else { return nil }
    let text = "limited by up to \((-limiterGain.value).tenths) dB to keep peaks at -1 dBTP"
    guard let limitedLoudness, abs(limitedLoudness.lufs - target.lufs) > 0.5 else { return text }
    return "\(text); the loudness is \(limitedLoudness), not \(target)"
  }
}

/// A conversion of one or more inputs to one output.
struct ConversionJob: Sendable {
  let inputs: [FilePath]
  let output: FilePath
  /// The container; nil to derive it from the output's extension.
  let container: SoundFileEncoding.Container?

  /// Runs the conversion, and shows the progress if there is a console.
  func run(
    changing options: ConversionOptions, _ metadata: MetadataOptions, isMix: Bool,
    from raw: RawAudioFormat?, isRaw: Bool, progress console: Console?
  ) async throws -> ConversionResult {
    var conversion = AudioConversion(
      inputs.map { $0 == "-" ? .descriptor(0, name: "standard input") : .file($0.source) },
      to: destination(splits: options.splits, isRaw: isRaw))
    (conversion.container, conversion.raw) = (container, raw)
    conversion.combination = isMix ? .mixed : .joined
    options.apply(to: &conversion)
    try metadata.apply(to: &conversion)
    return try await FileProgress.showing(inputs[0], on: console) { [conversion] report in
      try await conversion.run { report($0.position, $0.total) }
    }
  }

  private func destination(splits: Bool, isRaw: Bool) -> AudioConversion.Destination {
    if output == "-" { return .descriptor(1, name: "standard output", isRaw: isRaw) }
    guard splits else { return .file(output.url) }
    return .parts { [output] in output.numbered($0).url }
  }
}

extension FilePath {
  /// Returns the name of a part, with its number in place of `%d` or `%03d`, or before the
  /// extension.
  func numbered(_ number: Int) -> FilePath {
    var text = text
    for width in 0...9 {
      let placeholder = width == 0 ? "%d" : "%0\(width)d"
      guard let range = text.firstRange(of: placeholder) else { continue }
      text.replaceSubrange(range, with: number.digits(width))
      return FilePath(text)
    }
    let ending = pathExtension.isEmpty ? "" : ".\(pathExtension)"
    let name = "\(stem.text)-\(number.digits(3))\(ending)"
    return folder == "." && !text.hasPrefix("./")
      ? FilePath(name) : folder.appending(FilePath(name))
  }

  /// The name of the whole file if this is a part's name: `talk.wav` for `talk-007.wav`.
  var wholeOfPart: FilePath? {
    guard let dash = stem.bytes.lastIndex(of: UInt8(ascii: "-")) else { return nil }
    let digits = stem.bytes[(dash + 1)...]
    guard digits.count >= 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return folder.appending(
      FilePath(bytes: stem.bytes[..<dash] + name.bytes[stem.bytes.count...]))
  }
}
