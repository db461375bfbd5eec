import ArgumentParser
import ClientDependencies
import FilePaths
import Logging
import SoundFile
import SpeechClient
import SpeechEngine

/// `syrinx transcribe`: transcribes files.
struct TranscribeCommand: RecognizingSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "transcribe",
    abstract: "Transcribe sound files, one line per utterance.",
    discussion: """
      Examples:
        syrinx transcribe talk.wav
        syrinx transcribe *.flac --output-dir transcripts --format srt
        ffmpeg -i talk.mp4 -f wav - | syrinx transcribe - --json

      Each line is printed when its utterance is recognized, the files in their order. Unreadable \
      files, truncated files, and utterances in which the engine failed are reported; the rest is \
      transcribed, and the exit status is 1. On a terminal, a status line shows the position in a \
      long file, the pace, and the time left.

      \(TranscriptOptions.help)

      \(jobsHelp)

      With --output-dir, the transcript of talk.wav is talk.txt in that folder (.jsonl with --json, \
      otherwise the extension of the format). An existing transcript stays until the new one is \
      complete. Ctrl-C and SIGTERM leave only complete transcripts.

      \(EngineName.help)

      \(UtteranceRecord.schema) \(LagRecord.droppedSchema) "file" is the file's name as given; \
      \(FilePath.jsonHelp).
      """)

  /// The help on parallel recognition.
  private static let jobsHelp = """
    With --jobs, several decoders of 100 MB each work in parallel: on several files, and on several \
    utterances of a long file. Text and order do not depend on their number. Partial results use one \
    decoder. An engine whose utterances depend on earlier ones uses one decoder per file.
    """

  @Argument(
    help: """
      Files in any format that libsndfile, libFLAC, libmpg123, or an installed FFmpeg reads; \
      http:// and https:// addresses; - for standard input.
      """)
  var files: [FilePath]

  @OptionGroup var transcript: TranscriptOptions

  @Option(
    name: [.customShort("o"), .customLong("output-dir")],
    help: ArgumentHelp(
      "Folder for a transcript of each file; created if it does not exist.", valueName: "folder"))
  var outputDir: FilePath?

  @OptionGroup var recognition: SpeechOptions

  @OptionGroup var engine: EngineOptions

  @OptionGroup var parallel: JobsOption

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try checkStandardInput(files)
    try folder?.check(files)
    try recognition.checkTranscript(transcript)
    if case .cues(let format) = transcript.style, outputDir == nil, files.count > 1 {
      throw ValidationError(
        "--format \(format) starts over with each file; \(files.count) files require --output-dir."
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
    var queue = RecognitionQueue(files: files, limit: fileCount(in: context)) { [speech] file in
      await start(file, with: speech, preparing: prepare, in: context)
    }
    for file in files {
      do {
        hasFailed = try await !transcribe(await queue.next(), in: context) || hasFailed
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

  /// The number of utterances to recognize in parallel: one if partial results are shown.
  private func jobCount(in context: CommandContext) -> Int {
    transcript.wantsPartials(on: context.console) ? 1 : parallel.count
  }

  /// The number of files to recognize in parallel: one per decoder, or more if the decoders share
  /// the utterances of all files.
  private func fileCount(in context: CommandContext) -> Int {
    @Dependency(\.speechEngine) var engine
    let isShared = engine.makeListener != nil && recognition.keyPhrases.isEmpty
    let jobCount = jobCount(in: context)
    return isShared ? RecognitionQueue.fileCount(sharing: jobCount) : jobCount
  }

  /// Starts to recognize a file, whose results are buffered until they are read.
  private func start(
    _ file: FilePath, with speech: SpeechClient, preparing prepare: Preparation,
    in context: CommandContext
  ) async -> RecognitionQueue.Entry {
    let wantsPartials = transcript.wantsPartials(on: context.console)
    let recognition = await FileRecognition(file, showsProgress: !wantsPartials, in: context)
    var request = prepare(recognition.request(wantsPartials: wantsPartials))
    request.measuresWordTimes = transcript.style.hasWordTimes
    request.jobCount = jobCount(in: context)
    context.log.info("transcribing \(file)")
    return RecognitionQueue.Entry(
      recognition: recognition, events: await speech.recognition(request: request))
  }

  /// Writes the transcript of a file and returns whether it is complete.
  private func transcribe(
    _ entry: RecognitionQueue.Entry, in context: CommandContext
  ) async throws -> Bool {
    let output = try folder?.file(for: entry.recognition.file)
    do {
      let isWhole = try await write(entry, to: output, in: context)
      try await output?.complete()
      return isWhole
    } catch {
      await output?.discard()
      throw error
    }
  }

  private func write(
    _ entry: RecognitionQueue.Entry, to output: TranscriptFile?, in context: CommandContext
  ) async throws -> Bool {
    let recognition = entry.recognition
    var report = TranscriptReport(
      style: transcript.style, file: recognition.file,
      namesFile: files.count > 1 && output == nil, to: output, console: context.console)
    await recognition.beginProgress()
    try await report.begin()
    do {
      for try await event in entry.events {
        try await report.show(event)
        await recognition.note(event)
      }
      // A cancelled recognition ends as if its audio had ended.
      try Task.checkCancellation()
    } catch {
      await report.reportLosses()
      throw error
    }
    try await report.end()
    let isComplete = try await recognition.finish()
    return report.isWhole && isComplete
  }
}

/// Whether the next file may still be transcribed: not if the engine or standard output is gone.
private func isOfOneFile(_ error: any Error) -> Bool {
  switch error {
  case SoundFileError.brokenPipe: false
  case is OutputError, is CommandEnd, is CancellationError: false
  case SpeechClientError.unavailable, SpeechClientError.noResources: false
  case SpeechClientError.invalidGrammar, SpeechClientError.invalidRequest: false
  default: true
  }
}
