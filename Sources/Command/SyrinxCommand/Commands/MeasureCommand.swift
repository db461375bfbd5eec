import ArgumentParser
import AudioCore
import AudioRecorderClient
import FilePaths
import FoundationEssentials
import Loudness
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

      \(JSONRecord.measurementSchema) \(FilePath.jsonHelp).
      """)

  @Argument(help: "Files in any format that `syrinx play` reads; - for standard input.")
  var files: [FilePath] = []

  @OptionGroup var device: CaptureDeviceOption

  @Option(
    parsing: .unconditional,
    help: .value("time", "With --device, time to measure (default: until stopped)."),
    transform: TimeValue.seconds)
  var seconds: Double?

  @Option(parsing: .unconditional, help: .value("dBFS", "Level below which both ends are silent."))
  var silence = -60.0

  @OptionGroup var parallel: JobsOption

  @OptionGroup var json: JSONOption

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try check("--seconds", seconds, in: 0.001...31_536_000, "a time in seconds")
    try check("--silence", silence, in: -200...0, "a level in dBFS")
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
      await FileMeasurement(file, silence: Decibels(silence), progress: console)
    } _: { file, measurement in
      try Task.checkCancellation()
      for sentence in measurement.sentences { await context.console.report(sentence) }
      if let result = measurement.result {
        var record = JSONRecord(result)
        record["file"] = file
        let report = MeasurementReport(name: "\(file.shownName)", result: result)
        try await print(record, report, in: context)
      } else if json.isOn, let sentence = measurement.sentences.first {
        try await context.console.print(JSONRecord(file, error: sentence).jsonLine())
      }
      return measurement.isComplete
    }
  }

  private func print(
    _ record: JSONRecord, _ report: MeasurementReport, in context: CommandContext
  ) async throws {
    // JSON has its own escapes.
    let lines = json.isOn ? [try record.jsonLine()] : report.lines.map(\.printableLine)
    for line in lines { try await context.console.print(line) }
  }

  private func measureDevice(in context: CommandContext) async throws {
    let name = device.name ?? ""
    let audio = MicrophoneAudio(CaptureRequest(device: device.id)) { first in
      await context.console.notifyTerminal(
        "measuring \(name) (\(first.buffer.format)); press Ctrl-C to stop")
    }
    let limit = Duration.seconds(seconds ?? 31_536_000)
    var ballistics = MeterBallistics()
    var last: LoudnessReading?
    let readings = audio.limited(to: limit)
      .loudness(every: .milliseconds(100), silence: Decibels(silence))
    for try await reading in readings {
      let rate = reading.total.format.sampleRate
      let label = "\(reading.total.duration.clockText) \(reading.shortTerm)"
      await context.console.showMeter(
        ballistics.meter(after: reading.levels, at: rate, label: label))
      if json.isOn, isNewSecond(reading, after: last) {
        try await context.console.print(JSONRecord(reading).jsonLine())
      }
      last = reading
    }
    await context.console.clearStatus()
    guard let last else { throw CommandFailure.noSound }
    var record = JSONRecord(last.total)
    (record["event"], record["device"]) = ("finished", name)
    try await print(record, MeasurementReport(name: name, result: last.total), in: context)
  }

  private func isNewSecond(_ reading: LoudnessReading, after last: LoudnessReading?) -> Bool {
    let before = last?.total.duration ?? .zero
    return reading.total.duration.components.seconds > before.components.seconds
  }
}

/// The measurement of one file, and what is wrong with it.
private struct FileMeasurement {
  /// Longer buffers than usual cost fewer switches between threads.
  private static let framesPerBuffer: FrameCount = 65_536

  private(set) var result: AudioMeasurement?
  private(set) var sentences: [String] = []
  /// Whether all of the file was measured.
  private(set) var isComplete = false

  /// - Parameter console: shows the progress; nil for none.
  init(_ file: FilePath, silence: Decibels, progress console: Console?) async {
    let problems = FileProblems()
    do {
      result = try await file.readAudio(
        framesPerBuffer: Self.framesPerBuffer, problems: problems, progress: console
      ) { try await $0.measured(silence: silence) }
      if result == nil {
        sentences.append("\(file.shownName) holds no audio: there is nothing to measure")
      }
    } catch {
      sentences.append(ErrorReport.sentence(error, of: [file.shownName]))
    }
    isComplete = sentences.isEmpty && problems.isComplete
    sentences += problems.all.map { "\($0)" }
  }
}
