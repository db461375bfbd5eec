import ArgumentParser
import AudioCore
import AudioRecorderClient
import FilePaths
import FoundationEssentials
import Loudness
import SoundFile
import SpeechClient

/// `syrinx measure`: measures levels and loudness.
struct MeasureCommand: FileListSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Measure loudness, peaks, clipping, and silence.",
    discussion: """
      Examples:
        syrinx measure song.flac
        syrinx measure *.wav --json
        syrinx measure --device hw:1 --seconds 60

      Loudness follows EBU R 128: integrated, the highest momentary (0.4 s) and short-term (3 s) \
      loudness, and the range. True peaks lie between samples. Samples from 32767/32768 are clipped; \
      a run is two or more in a row. The noise floor is the level that a tenth of all blocks of 50 \
      ms stays below, silent ends excluded.

      Unreadable and truncated files are reported, the others are measured, and the exit status is \
      1. With --device, a meter is shown on a terminal until Ctrl-C, and then the figures.

      \(execHelp)

      \(JSONRecord.measurementSchema) \(FilePath.jsonHelp).
      """)

  private static let execHelp = ExecOptions.help(
    """
    rise of the peak above --above, after a second below it. The level in dBFS is the command's \
    standard input and the variable SYRINX_LEVEL
    """)

  @Argument(help: "Files in any format that `syrinx play` reads; - for standard input.")
  var files: [FilePath] = []

  @OptionGroup var device: CaptureDeviceOption

  @Option(
    parsing: .unconditional,
    help: .value("time", "With --device, time to measure (default: until stopped)."),
    transform: TimeValue.seconds)
  var seconds: Double?

  @Option(
    parsing: .unconditional,
    help: .value("dBFS", "With --device and --exec, peak of 0.1 s above which the command runs."))
  var above: Double?

  @OptionGroup var exec: ExecOptions

  @Option(parsing: .unconditional, help: .value("dBFS", "Level below which both ends are silent."))
  var silence = -60.0

  @OptionGroup var parallel: JobsOption

  @OptionGroup var raw: RawInputOptions

  @OptionGroup var json: JSONOption

  @OptionGroup var common: CommonOptions

  var printsFailureAsJSON: Bool { json.isOn }

  var rawInput: RawAudioFormat? { raw.format }

  func validate() throws {
    try check("--seconds", seconds, in: 0.001...31_536_000, "a time in seconds")
    try check("--silence", silence, in: -200...0, "a level in dBFS")
    try check("--above", above, in: -200...0, "a level in dBFS")
    try require(above == nil || exec.exec != nil, "--above requires --exec.")
    try require(exec.exec == nil || above != nil, "--exec requires --above.")
    try require(above == nil || device.name != nil, "--above requires --device.")
    try require(
      files.isEmpty != (device.name == nil),
      files.isEmpty
        ? "nothing to measure; name a file, or a device with --device."
        : "files and --device exclude each other; measure one after the other.")
    try require(
      seconds == nil || device.name != nil,
      "--seconds requires --device; a file is measured to its end.")
    try require(
      parallel.jobs == nil || device.name == nil, "--jobs requires files; a device has one job.")
    try require(
      raw.coding == nil || device.name == nil, "--raw-input requires files; a device has a format.")
    try checkOperands(files)
  }

  func perform(in context: CommandContext) async throws {
    try await context.canceledBySignals {
      if files.isEmpty {
        try await measureDevice(in: context)
      } else {
        try await measureFiles(in: context)
      }
    }
  }

  private func measureFiles(in context: CommandContext) async throws {
    try await context.forEachFile(
      files, jobs: parallel.count, showsProgress: true, inputs: { [$0] }
    ) { [silence] file, console in
      await Self.measurement(of: file, silence: Decibels(silence), progress: console)
    } _: { file, measurement in
      try Task.checkCancellation()
      for sentence in measurement.sentences { await context.console.report(sentence) }
      if let result = measurement.result {
        var record = JSONRecord(result)
        record["file"] = file
        try await print(record, result.lines(name: "\(file.shownName)"), in: context)
      } else if json.isOn, let sentence = measurement.sentences.first {
        try await context.console.print(JSONRecord(file, error: sentence).jsonLine())
      }
      return measurement.isComplete
    }
  }

  /// Measures a file; returns the result, sentences about problems, and whether the whole file was
  /// measured.
  ///
  /// `console` shows the progress; nil for none.
  private static func measurement(
    of file: FilePath, silence: Decibels, progress console: Console?
  ) async -> (result: AudioMeasurement?, sentences: [String], isComplete: Bool) {
    let problems = FileProblems()
    var (result, sentences): (AudioMeasurement?, [String]) = (nil, [])
    do {
      // Long buffers mean fewer switches between threads.
      result = try await file.readAudio(
        framesPerBuffer: 65_536, problems: problems, progress: console
      ) { try await $0.measured(silence: silence) }
      if result == nil {
        sentences.append("\(file.shownName) holds no audio: there is nothing to measure")
      }
    } catch {
      sentences.append(ErrorReport.sentence(error, of: [file.shownName]))
    }
    let isComplete = sentences.isEmpty && problems.isComplete
    return (result, sentences + problems.all.map { "\($0)" }, isComplete)
  }

  private func print(
    _ record: JSONRecord, _ lines: [String], in context: CommandContext
  ) async throws {
    // JSON itself escapes control characters, so only the lines are escaped here.
    let lines = json.isOn ? [try record.jsonLine()] : lines.map(\.printableLine)
    for line in lines { try await context.console.print(line) }
  }

  private func measureDevice(in context: CommandContext) async throws {
    let name = device.name ?? ""
    let audio = MicrophoneAudio(CaptureRequest(device: device.id)) { first in
      await context.console.notifyTerminal(
        "measuring \(name) (\(first.buffer.format)); press Ctrl-C to stop")
    }
    let limit = Duration.seconds(seconds ?? 31_536_000)
    var meter = LevelMeterLine()
    var last: LoudnessReading?
    var trigger = LevelTrigger(above: Decibels(above ?? 0))
    let command = exec.command(in: context)
    let readings = audio.prefix(limit)
      .loudness(every: .milliseconds(100), silence: Decibels(silence))
    try await command.finishing {
      for try await reading in readings {
        let peak = reading.levels.level.peak
        if let command, trigger.process(peak) {
          await command.run(for: "\(peak.value.tenths)", as: "SYRINX_LEVEL")
        }
        let rate = reading.total.format.sampleRate
        let label = "\(reading.total.duration.clockText) \(reading.shortTerm)"
        meter.update(reading.levels, at: rate, label: label)
        await context.console.showMeter(meter)
        if json.isOn, isNewSecond(reading, after: last) {
          try await context.console.print(JSONRecord(reading).jsonLine())
        }
        last = reading
      }
      await context.console.clearStatus()
    }
    guard let last else { throw CommandFailure.noSound }
    var record = JSONRecord(last.total)
    (record["event"], record["device"]) = ("finished", name)
    try await print(record, last.total.lines(name: name), in: context)
  }

  private func isNewSecond(_ reading: LoudnessReading, after last: LoudnessReading?) -> Bool {
    let before = last?.total.duration ?? .zero
    return reading.total.duration.components.seconds > before.components.seconds
  }
}

/// Detects when a level rises above a limit, after a second at or below it.
struct LevelTrigger {
  private static let quietReadings = 10

  private let limit: Decibels
  private var quietCount = LevelTrigger.quietReadings

  init(above limit: Decibels) {
    self.limit = limit
  }

  /// Processes the peak of the next tenth of a second; returns whether the level has risen.
  mutating func process(_ peak: Decibels) -> Bool {
    guard peak > limit else {
      quietCount += 1
      return false
    }
    defer { quietCount = 0 }
    return quietCount >= Self.quietReadings
  }
}

/// Formats the results of a measurement as human-readable lines.
extension AudioMeasurement {
  /// Returns the lines; the first line names the audio.
  fileprivate func lines(name: String) -> [String] {
    let rows = [
      loudnessRow, peakRow, row("rms", level.rms.levelText), clippingRow, offsetRow, silenceRow,
      floorRow,
    ]
    return ["\(name) (\(format), \(duration.clockText))"] + rows + channelRows
  }

  private func row(_ name: String, _ text: String) -> String {
    "  " + (name + " ").padded(to: 12) + text
  }

  private var loudnessRow: String {
    guard maximumMomentary > .silence else {
      return row("loudness", "none: silence, or shorter than 0.4 s")
    }
    var text =
      "\(integrated), range \(range.tenths) LU, momentary up to "
      + "\(maximumMomentary)"
    if maximumShortTerm > .silence {
      text += ", short-term up to \(maximumShortTerm)"
    }
    return row("loudness", text)
  }

  private var peakRow: String {
    row("peak", "\(level.peak.levelText), true peak \(truePeak.truePeakText)")
  }

  private var clippingRow: String {
    let runs = channels.reduce(0) { $0 + $1.clippedRunCount }
    let count = clippedSampleCount
    guard count > 0 else { return row("clipped", "none") }
    return row("clipped", "\(count.counted("sample")), \(runs.counted("run"))")
  }

  private var offsetRow: String {
    row("offset", channels.map { $0.offset.offsetText }.joined(separator: " "))
  }

  private var silenceRow: String {
    let rate = format.sampleRate
    return row(
      "silence",
      "\(silenceAtStart.duration(at: rate).secondsText) at the start, "
        + "\(silenceAtEnd.duration(at: rate).secondsText) at the end")
  }

  private var floorRow: String {
    var text = noiseFloor.levelText
    if nonFiniteSampleCount > 0 {
      text += "; \(nonFiniteSampleCount) samples are NaN or infinite, measured as silence"
    }
    return row("noise floor", text)
  }

  /// A line for each channel; empty for mono.
  private var channelRows: [String] {
    guard channels.count > 1 else { return [] }
    let names = format.layout.positions.map(\.abbreviation)
    return zip(names, channels).enumerated().map { index, named in
      let (name, channel) = named
      let clipped = channel.clippedSampleCount > 0 ? ", \(channel.clippedSampleCount) clipped" : ""
      return row(
        name == "?" ? "channel \(index + 1)" : name,
        "peak \(channel.level.peak.levelText), true peak \(channel.truePeak.truePeakText), "
          + "rms \(channel.level.rms.levelText)\(clipped)")
    }
  }
}

extension Double {
  /// The value with five decimals; a value of a billion or more in Swift's own format.
  fileprivate var offsetText: String {
    // The limit keeps the multiplied number within the range of `Int`.
    guard abs(self) < 1e9 else { return "\(self)" }
    let number = Int(clamping: abs(self) * 100_000)
    let sign = self < 0 && number > 0 ? "-" : ""
    return "\(sign)\(number / 100_000).\((number % 100_000).digits(5))"
  }
}

/// Creates the records that `syrinx measure --json` prints.
///
/// Levels are in dBFS, loudness is in LUFS, and lengths are in seconds; silence has neither level
/// nor loudness.
extension JSONRecord {
  /// The help text about the JSON output.
  static let measurementSchema = """
    With --json, each file is one object: "file" (or "device"), "rate", "channelCount", "length" in \
    seconds, "frames"; "peak", "rms", and "noiseFloor" in dBFS, "truePeak" in dBTP, "integrated", \
    "maximumMomentary", and "maximumShortTerm" in LUFS (missing for silence); "range" in LU; \
    "clipped" samples, "nonFinite" samples, "silenceAtStart" and "silenceAtEnd" in seconds; and \
    "channels", each with "channel" (FL, FR, and so on), "peak", "truePeak", "rms", "offset", "clipped", and \
    "clippedRuns". With --device, objects with the "event" loudness come first, one for each second: \
    "position" in seconds, "momentary", "shortTerm", "integrated", "peak", and "rms"; the last \
    object has the "event" finished. A file that failed is an object with "file" and "error", and a \
    device that failed one with "error".
    """

  init(_ result: AudioMeasurement) {
    let rate = result.format.sampleRate
    self = [
      "rate": rate.hertz, "channelCount": result.format.channelCount,
      "length": result.duration.inRecordSeconds, "frames": result.frameCount.rawValue,
      "peak": result.level.peak.finite, "truePeak": result.truePeak.finite,
      "rms": result.level.rms.finite, "integrated": result.integrated.lufs.finite,
      "range": result.range.finite ?? 0,
      "maximumMomentary": result.maximumMomentary.lufs.finite,
      "maximumShortTerm": result.maximumShortTerm.lufs.finite,
      "clipped": result.clippedSampleCount, "nonFinite": result.nonFiniteSampleCount,
      "silenceAtStart": result.silenceAtStart.duration(at: rate).inRecordSeconds,
      "silenceAtEnd": result.silenceAtEnd.duration(at: rate).inRecordSeconds,
      "noiseFloor": result.noiseFloor.finite,
    ]
    let channels = zip(result.format.layout.positions, result.channels)
    self["channels"] = channels.map { position, channel -> JSONRecord in
      [
        "channel": position.abbreviation, "peak": channel.level.peak.finite,
        "truePeak": channel.truePeak.finite, "rms": channel.level.rms.finite,
        "offset": channel.offset.isFinite ? channel.offset.rounded(toParts: 1e6) : nil,
        "clipped": channel.clippedSampleCount, "clippedRuns": channel.clippedRunCount,
      ]
    }
  }

  /// Creates the record of a device's loudness for `syrinx measure --json --device`.
  init(_ reading: LoudnessReading) {
    self = [
      "event": "loudness", "position": reading.total.duration.inRecordSeconds,
      "momentary": reading.momentary.lufs.finite, "shortTerm": reading.shortTerm.lufs.finite,
      "integrated": reading.total.integrated.lufs.finite,
      "peak": reading.levels.level.peak.finite, "rms": reading.levels.level.rms.finite,
    ]
  }
}
