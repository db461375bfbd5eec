import ArgumentParser
import ClientDependencies
import FilePaths
import FoundationEssentials
import Logging
import SoundFile
import SpeechClient
import SpeechEngine

/// `syrinx transcribe`: files to text.
struct TranscribeCommand: RecognisingSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "transcribe",
    abstract: "Writes what is said in sound files, a line for each utterance.",
    discussion: """
      A line comes as soon as its utterance is understood, the files in their order. Files that \
      cannot be read, truncated files, and utterances in which the engine failed are reported; the \
      rest is transcribed, and the exit status is 1. On a terminal a line says with each utterance \
      how far a long file is, how fast it goes, and how long it will still take.

      \(TranscriptOptions.help)

      \(JobsOption.help)

      With --output-dir the transcript of talk.wav is talk.txt in that folder (.jsonl with --json, \
      else the extension of the format); an existing transcript stays until the new one is \
      complete. Ctrl-C and SIGTERM leave complete transcripts only.

      \(EngineName.help)

      \(UtteranceRecord.schema) \(LagRecord.droppedSchema) "file" is the file's name as it was \
      given; \(FilePath.jsonHelp).
      """)

  @Argument(
    help: """
      The files, in any format that libsndfile, libFLAC, libmpg123 or an installed FFmpeg reads; - is \
      standard input.
      """)
  var files: [FilePath]

  @OptionGroup var transcript: TranscriptOptions

  @Option(
    help: ArgumentHelp(
      "Write a transcript for each file into this folder; it is made where there is none.",
      valueName: "folder"))
  var outputDir: FilePath?

  @OptionGroup var recognition: SpeechOptions

  @OptionGroup var engine: EngineOptions

  @OptionGroup var parallel: JobsOption

  @OptionGroup var common: CommonOptions

  func validate() throws {
    let pipes = files.count { $0 == "-" }
    guard pipes < 2 else {
      throw ValidationError("standard input (-) can be read once only, not \(pipes) times.")
    }
    try folder?.check(files)
    try recognition.check(for: transcript)
    if case .cues(let format) = transcript.style, outputDir == nil, files.count > 1 {
      throw ValidationError(
        "--format \(format) begins anew with each file; give --output-dir for \(files.count) files."
      )
    }
  }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.speechClient) var speech
    try await speech.makeReady(for: recognition)
    let prepare = try await recognition.preparation()
    guard let folder else {
      return try await transcribeAll(with: speech, preparing: prepare, in: context)
    }
    try folder.make()
    try await context.cancelledBySignals {
      try await transcribeAll(with: speech, preparing: prepare, in: context)
    }
  }

  private func transcribeAll(
    with speech: SpeechClient, preparing prepare: @escaping Preparation, in context: CommandContext
  ) async throws {
    var hasFailed = false
    var hearings = Hearings(files: files, atOnce: fileCount(in: context)) { [speech] file in
      await hearing(of: file, with: speech, preparing: prepare, in: context)
    }
    for file in files {
      do {
        hasFailed = try await !transcribe(await hearings.next(), in: context) || hasFailed
      } catch let error where isOfOneFile(error) {
        let sentence = "\(error)"
        await context.console.report(
          sentence.contains("\(file)") ? sentence : "\(file): \(sentence)")
        hasFailed = true
      }
    }
    if hasFailed { throw CommandEnd.reported }
  }

  private typealias Preparation = @Sendable (SpeechRequest) -> SpeechRequest

  private var folder: TranscriptFolder? {
    outputDir.map { TranscriptFolder(path: $0, style: transcript.style) }
  }

  /// How many utterances are recognised at once: with partial results one, because each of them
  /// is to be watched.
  private func jobCount(in context: CommandContext) -> Int {
    transcript.wantsPartials(on: context.console) ? 1 : parallel.count
  }

  /// How many files are recognised at once: more than there are decoders where these share the
  /// utterances of all, else one for each decoder.
  private func fileCount(in context: CommandContext) -> Int {
    @Dependency(\.speechEngine) var engine
    let isShared = engine.makeListener != nil && recognition.keyPhrases.isEmpty
    let jobCount = jobCount(in: context)
    return isShared ? Hearings.atOnce(sharing: jobCount) : jobCount
  }

  /// Starts to recognise a file, whose results wait until they are asked for.
  private func hearing(
    of file: FilePath, with speech: SpeechClient, preparing prepare: Preparation,
    in context: CommandContext
  ) async -> Hearing {
    let wantsPartials = transcript.wantsPartials(on: context.console)
    let audio = await FileHearing(file, showsProgress: !wantsPartials, in: context)
    var request = prepare(audio.request(wantsPartials: wantsPartials))
    request.measuresWordTimes = transcript.style.hasWordTimes
    request.jobCount = jobCount(in: context)
    context.log.info("transcribing \(file)")
    return Hearing(file: file, audio: audio, events: await speech.recognition(request: request))
  }

  /// Writes a file's transcript; whether nothing is missing in it.
  private func transcribe(_ hearing: Hearing, in context: CommandContext) async throws -> Bool {
    let output = try folder?.file(for: hearing.file)
    do {
      let isWhole = try await write(hearing, to: output, in: context)
      try await output?.complete()
      return isWhole
    } catch {
      await output?.discard()
      throw error
    }
  }

  private func write(
    _ hearing: Hearing, to output: TranscriptFile?, in context: CommandContext
  ) async throws -> Bool {
    var report = TranscriptReport(
      style: transcript.style, file: hearing.file, to: output, console: context.console)
    await hearing.audio.beginProgress()
    try await report.begin()
    do {
      for try await event in hearing.events {
        try await report.show(event)
        await hearing.audio.note(event)
      }
      // A recognition that is cancelled ends as if its audio did.
      try Task.checkCancellation()
    } catch {
      await report.tellLosses()
      throw error
    }
    try await report.end()
    let isComplete = try await hearing.audio.finish()
    return report.isWhole && isComplete
  }
}

/// Whether the next file may still be transcribed: not where the engine or standard output is gone.
private func isOfOneFile(_ error: any Error) -> Bool {
  switch error {
  case SoundFileError.brokenPipe: false
  case is OutputError, is CommandEnd, is CancellationError: false
  case SpeechClientError.unavailable, SpeechClientError.noResources: false
  case SpeechClientError.invalidGrammar, SpeechClientError.invalidRequest: false
  default: true
  }
}

/// How many utterances are recognised at once.
struct JobsOption: ParsableArguments {
  /// More decoders than this are a mistake: each takes 100 MB.
  static let most = 256

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Recognise so many utterances at once, 1 to \(most) (as many as there are processors).",
      valueName: "number"))
  var jobs: Int?

  /// As many as were asked for, or as this process may use processors.
  var count: Int {
    jobs ?? min(Self.most, max(1, ProcessInfo.processInfo.activeProcessorCount))
  }

  func validate() throws {
    if let jobs, !(1...Self.most).contains(jobs) {
      throw ValidationError("--jobs is 1 to \(Self.most), not \(jobs).")
    }
  }

  /// What the help says about it.
  static let help = """
    With --jobs several decoders work, of 100 MB each: on several files, and on several utterances \
    of a long one. The text and its order are the same as with one. With partial results one works, \
    and with an engine that knows an utterance by those before it one for each file.
    """
}
