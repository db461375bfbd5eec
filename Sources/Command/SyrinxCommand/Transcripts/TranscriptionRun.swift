import AudioCore
import AudioThreads
import ClientDependencies
import FilePaths
import Logging
import SpeechClient
import SpeechEngine

/// The work of `syrinx transcribe`: recognizes the inputs and writes their transcripts.
struct TranscriptionRun: Sendable {
  typealias Preparation = @Sendable (SpeechRequest) -> SpeechRequest

  let command: TranscribeCommand
  let speech: SpeechClient
  /// Applies the options to a request.
  let prepare: Preparation
  /// The rules for the texts.
  let rules: TextRules
  let inputs: RemainingInputs
  /// The records of the output folder; nil if there is no output folder.
  let archive: TranscriptArchive?
  let progress: ArchiveProgress
  /// Whether lines of text on standard output begin with the name of their file.
  let namesFiles: Bool
  let context: CommandContext

  /// Transcribes the inputs in order, and reports those that fail.
  func transcribeAll() async throws {
    let counting = Task { await progress.count(command.inputs) }
    defer { counting.cancel() }
    var recognitions = RecognitionQueue(limit: namesFiles ? jobCount : 1) {
      let input = try await inputs.next()
      await progress.setSkipped(inputs.skipped)
      return input
    } start: {
      await start($0)
    }
    while let next = try await recognitions.next() {
      switch next {
      case .success(let entry): try await transcribe(entry)
      case .failure(let problem): try await fail(problem.input, problem)
      }
    }
    try await finish()
  }

  private func transcribe(_ entry: RecognitionQueue.Entry) async throws {
    do {
      if try await writeTranscripts(entry) {
        try await succeed(entry)
      } else {
        try await fail(entry.input)
      }
    } catch let error where ErrorReport.isOfOneFile(error) {
      try await fail(entry.input, error)
    }
  }

  private func succeed(_ entry: RecognitionQueue.Entry) async throws {
    try await archive?.add(entry.input)
    await progress.add(entry.input, audio: entry.recognition.length)
    try await print(
      [
        "event": "transcribed", "file": entry.input.file,
        "length": entry.recognition.length.inRecordSeconds,
      ])
  }

  /// Reports and records that an input failed.
  ///
  /// - Parameters:
  ///   - input: the input that failed.
  ///   - error: the error to report; nil for lost audio, which has already been reported.
  private func fail(_ input: TranscriptionInput, _ error: (any Error)? = nil) async throws {
    if let error {
      await context.console.report(ErrorReport.sentence(error, of: [input.file]))
    }
    if try await archive?.addFailed(input) == false, input.file != "-" {
      await context.console.report(
        "\(input.file) is not in failed.txt, because its name has a line feed; use --null")
    }
    await progress.add(input, audio: nil)
    guard command.transcript.json else { return }
    let reason = error.map { "\($0)" } ?? "not all of the audio was transcribed"
    let record: JSONRecord = ["event": "failed", "file": input.file, "error": reason]
    try await context.console.print(record.jsonLine())
  }

  private func finish() async throws {
    let counts = await progress.counts
    try await archive?.finish()
    await context.console.clearStatus()
    try await print(
      [
        "event": "finished", "transcribed": counts.transcribed, "failed": counts.failed,
        "skipped": counts.skipped,
      ])
    if let archive {
      await context.console.notifyTerminal(progress.summary)
      if counts.failed > 0 {
        await context.console.report(
          "\(counts.failed) of \(counts.all) files failed; \(archive.failedPath) lists them")
      }
    }
    guard counts.failed == 0 else { throw CommandEnd.reported }
  }

  /// Prints a record, unless standard output gets the transcripts.
  private func print(_ record: JSONRecord) async throws {
    guard command.transcript.json, archive != nil else { return }
    try await context.console.print(record.jsonLine())
  }

  private var wantsPartials: Bool { command.transcript.wantsPartials(on: context.console) }

  /// The number of files, or of utterances within one file, to recognize in parallel.
  ///
  /// The number is 1 with partial results, which are shown for one utterance at a time.
  private var jobCount: Int { wantsPartials ? 1 : command.parallel.count }

  /// Starts to recognize a file, whose results are buffered until they are read.
  private func start(_ input: TranscriptionInput) async -> RecognitionQueue.Entry {
    let recognition = await FileRecognition(
      input.file, showsProgress: !wantsPartials && !progress.isShown,
      comparesChannels: command.speakers.channels == nil, in: context)
    var request = prepare(recognition.request(wantsPartials: wantsPartials))
    request.measuresWordTimes = command.transcript.styles.contains(where: \.hasWordTimes)
    request.jobCount = namesFiles ? 1 : jobCount
    request.channels = command.speakers.channels ?? .mixed
    context.log.info("transcribing \(input.file)")
    return RecognitionQueue.Entry(
      input: input, recognition: recognition, events: await speech.recognition(request: request))
  }

  /// Writes the transcripts of a file and returns whether they are complete.
  private func writeTranscripts(_ entry: RecognitionQueue.Entry) async throws -> Bool {
    let outputs = try await command.outputs(for: entry.input)
    do {
      let isComplete = try await write(entry, to: outputs)
      try entry.input.checkUnchanged()
      try await archive?.willReplace(entry.input)
      for output in outputs { try await output.complete() }
      return isComplete
    } catch {
      for output in outputs { await output.discard() }
      throw error
    }
  }

  private func write(
    _ entry: RecognitionQueue.Entry, to outputs: [PendingOutput]
  ) async throws -> Bool {
    let recognition = entry.recognition
    var report = TranscriptReport(
      styles: command.transcript.styles, rules: rules, cuePolicy: command.transcript.cuePolicy,
      language: command.recognition.transcriptLanguage, file: recognition.file, to: outputs,
      namesFile: namesFiles, speakers: command.speakers.speakerNames,
      languageNotice: command.recognition.makeLanguageNotice(),
      console: context.console)
    await recognition.beginProgress()
    try await report.begin()
    do {
      for try await event in entry.events {
        try await report.show(event)
        await recognition.note(event)
        if progress.isShown, let position = event.position { await progress.show(at: position) }
      }
      // If the recognition was canceled, the events end without an error, so throw an error here.
      try Task.checkCancellation()
    } catch {
      await report.reportLosses()
      if error is CancellationError, command.output != nil, report.hasResults {
        do {
          try await report.end()
          // The incomplete transcript is kept beside the file of `--output`.
          if let path = try await outputs[0].complete(addingToName: ".partial") {
            await context.console.report(
              "interrupted; \(path.printableLine) has the transcript so far")
          }
        } catch let problem {
          await context.console.report(ErrorReport.sentence(problem))
        }
      }
      throw error
    }
    try await report.end()
    return try await recognition.finish() && report.isComplete
  }
}

/// Counts the outcomes of many files, and shows the progress as a status line.
actor ArchiveProgress {
  /// The number of files with each outcome, and the total length of the transcribed audio.
  struct Counts: Equatable {
    var transcribed = 0
    var failed = 0
    var skipped = 0
    var audio = Duration.zero

    var all: Int { transcribed + failed + skipped }
  }

  private(set) var counts = Counts()
  /// The console that shows the progress; nil if no progress is shown.
  private let console: Console?
  private let stopwatch: Stopwatch
  private var throttle = StatusThrottle()
  private var workedBytes = 0
  private var skippedBytes = 0
  private var total: (count: Int, byteCount: Int)?

  /// Creates the progress of a run; if `console` is nil, nothing is shown.
  init(console: Console?, clock: any Clock<Duration>) {
    self.console = console
    stopwatch = Stopwatch(clock)
  }

  /// Whether the progress is shown.
  nonisolated var isShown: Bool { console?.isWatched == true }

  /// Counts all files while the work runs, to estimate the remaining time.
  func count(_ inputs: TranscriptionInputs) async {
    guard isShown, inputs.isRepeatable else { return }
    // The error is ignored, because the work itself reports it.
    total = try? await DedicatedThread.run(name: "syrinx-count") {
      () throws -> (count: Int, byteCount: Int) in
      var all = try inputs.makeIterator()
      var total = (count: 0, byteCount: 0)
      while let input = try all.next() {
        total.count += 1
        total.byteCount += (try? input.get())?.version?.byteCount ?? 0
      }
      return total
    }
  }

  /// Sets the number and size of the files skipped so far.
  func setSkipped(_ skipped: (count: Int, byteCount: Int)) {
    (counts.skipped, skippedBytes) = (skipped.count, skipped.byteCount)
  }

  /// Adds a file and the length of its audio, which is nil for a failed file.
  func add(_ input: TranscriptionInput, audio: Duration?) async {
    counts.transcribed += audio == nil ? 0 : 1
    counts.failed += audio == nil ? 1 : 0
    counts.audio += audio ?? .zero
    workedBytes += input.version?.byteCount ?? 0
    await show()
  }

  /// Shows the progress, if an update is due.
  ///
  /// - Parameter position: the position within the file whose results are being read.
  func show(at position: Duration = .zero) async {
    let elapsed = stopwatch.elapsed()
    guard isShown, throttle.admits(elapsed) else { return }
    await console?.showStatus(line(after: elapsed, at: position))
  }

  /// The summary at the end of the run.
  var summary: String {
    let pace = pace(counts.audio, stopwatch.elapsed())
    var parts = ["\(counts.transcribed) files transcribed, \(pace)"]
    if counts.skipped > 0 { parts.append("\(counts.skipped) were done before") }
    if counts.failed > 0 { parts.append("\(counts.failed) failed") }
    return parts.joined(separator: "; ")
  }

  private func line(after elapsed: Duration, at position: Duration) -> String {
    let files = total.map { "\(counts.all) of \($0.count) files" } ?? "\(counts.all) files"
    let line = "\(files), \(pace(counts.audio + position, elapsed))"
    guard let total, workedBytes > 0 else { return line }
    let left = Double(max(0, total.byteCount - skippedBytes - workedBytes)) / Double(workedBytes)
    return "\(line), \(Duration.seconds(clamping: elapsed.inSeconds * left).clockText) left"
  }

  private func pace(_ audio: Duration, _ elapsed: Duration) -> String {
    let hours = (audio.inSeconds / 360).rounded() / 10
    let speed = elapsed > .zero ? (audio.inSeconds / elapsed.inSeconds).tenths : 0
    return "\(hours) hours of audio, \(speed) times real time"
  }
}

/// Describes the records that `transcribe --json` prints for each file and for the whole run.
extension JSONRecord {
  /// The help text about the JSON output.
  static let archiveSchema = """
    With --json, a file that failed or is incomplete is an object with the "event" failed, the "file", \
    and the "error". With --output-dir, every other file is an object with the event transcribed and the \
    "length" of its audio in seconds. The last object then has the event finished and the numbers of files \
    "transcribed", "failed", and "skipped" by --resume.
    """
}
