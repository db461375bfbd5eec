import ArgumentParser
import AudioCore
import ClientDependencies
import FilePaths
import Logging
import SoundFile
import SpeechClient
import SpeechEngine

/// `syrinx transcribe`: transcribes files.
struct TranscribeCommand: RecognizingSubcommand, FileListSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "transcribe",
    abstract: "Transcribe sound files, one line per utterance.",
    discussion: """
      Examples:
        syrinx transcribe talk.wav -o talk.srt
        syrinx transcribe *.flac --output-dir transcripts --format srt
        syrinx transcribe recordings -o transcripts --format json,vtt --resume

      Each line is printed when its utterance is recognized, in file order. Unreadable \
      files, truncated files, and utterances in which the engine failed are reported; the rest is \
      transcribed, and the exit status is 1. On a terminal, a status line shows the position in a \
      long file, the pace, and the time left.

      \(TranscriptOptions.help)

      \(jobsHelp)

      A name after -o that ends in .txt, .srt, .vtt, .tsv, .json, or .jsonl is a file. Its extension \
      selects the format, unless --format or --json does. An existing file is overwritten when the \
      transcript is complete. The name - is standard output. A name without an extension, or that of \
      an existing folder, is an output folder; another extension is refused.

      A folder stands for the sound files in it and below it. With --output-dir, the transcript of \
      talk.wav is talk.txt in that folder (.jsonl with --json, otherwise the extension of the \
      format), and files from a folder keep their folders below it. A name in a list keeps all its \
      folders, or those after /./ in it. An existing transcript stays until the new one is complete. \
      Ctrl-C and SIGTERM leave only complete transcripts there; with a file after -o, they keep the \
      transcript so far as that file's name with .partial added.

      The output folder also has manifest.jsonl and failed.txt. The manifest records what each \
      transcript was made from: --resume skips a file whose size and time, engine, model, and options \
      are still the same. failed.txt lists the files that failed, for --files-from. Only one process \
      at a time may write into the folder.

      \(EngineName.help)

      \(JSONRecord.utteranceSchema) \(JSONRecord.droppedSchema) "file" is the file's name as given; \
      \(FilePath.jsonHelp). \(JSONRecord.archiveSchema)
      """)

  /// The help on parallel jobs.
  private static let jobsHelp = """
    With --jobs, several decoders of 100 MB each work in parallel: on several files, and on several \
    utterances or separate channels of a long file. Text and order do not depend on their number. \
    Partial results use one decoder. An engine whose utterances depend on earlier ones uses one \
    decoder per file.
    """

  @Argument(
    help: """
      Files in any format that libsndfile, libFLAC, libmpg123, or an installed FFmpeg reads; folders; \
      http:// and https:// addresses; - for standard input.
      """)
  var files: [FilePath] = []

  @Option(
    name: .customLong("include"), parsing: .singleValue,
    help: .value(
      "pattern", "Pattern for the names of the files in folders (repeatable; default: sound files)."
    ))
  var patterns: [FilePath] = []

  @Option(
    help: .value("file", "List of files and folders, one on each line; - for standard input."))
  var filesFrom: FilePath?

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "Names in the list and in failed.txt end with NUL.")
  var endsWithNUL = false

  @OptionGroup var transcript: TranscriptOptions

  /// The transcript file of a single input.
  ///
  /// `validate` sets this to nil for `-`, and for a folder, which becomes `outputDir`.
  @Option(
    name: .shortAndLong,
    help: .value(
      "file", "Transcript of one file (txt, srt, vtt, tsv, json, jsonl), or the output folder.")
  )
  var output: FilePath?

  @Option(
    help: .value("folder", "Folder for a transcript of each file; created if it does not exist."))
  var outputDir: FilePath?

  @Flag(help: "Skip the files that are done in the output folder.")
  var resume = false

  @OptionGroup var recognition: SpeechOptions

  @OptionGroup var speakers: ChannelOptions

  @OptionGroup var textRules: TextRuleOptions

  @OptionGroup var engine: EngineOptions

  @OptionGroup var raw: RawInputOptions

  @OptionGroup var parallel: JobsOption

  @OptionGroup var common: CommonOptions

  var printsFailureAsJSON: Bool { transcript.json }

  var rawInput: RawAudioFormat? { raw.format }

  mutating func validate() throws {
    try require(
      !files.isEmpty || filesFrom != nil, "there is nothing to transcribe: name files or folders.")
    let texts = [
      filesFrom, recognition.contextFile, recognition.grammar, textRules.replacementFile,
      textRules.maskFile,
    ]
    try checkOperands(files + texts.compactMap(\.self))
    try chooseOutput()
    try require(
      !endsWithNUL || filesFrom != nil || outputDir != nil,
      "--null requires --files-from or --output-dir.")
    try folder?.check(files)
    try recognition.checkTranscript(transcript)
    guard outputDir == nil else { return }
    try transcript.checkSingleFormat()
    try output.map(checkFile)
    try require(!resume, "--resume requires --output-dir.")
    if transcript.styles[0].hasBeginning, !inputs.isOneFile {
      throw ValidationError(
        "--format \(transcript.styles[0].name) starts over with each file; several files require --output-dir."
      )
    }
  }

  /// Determines whether `--output` is a folder, or a file whose extension selects the format.
  private mutating func chooseOutput() throws {
    guard let name = output else { return }
    try require(outputDir == nil, "--output and --output-dir exclude each other.")
    guard name != "-" else {
      output = nil
      return
    }
    let style = TranscriptStyle(pathExtension: name.pathExtension)
    try require(
      style != nil || name.isFolder || name.pathExtension.first?.isLetter != true,
      """
      -o \(name): no transcript has the extension "\(name.pathExtension.printableLine)"; use txt, srt, \
      vtt, tsv, json, or jsonl, or --output-dir for a folder with this name.
      """)
    guard let style, !name.isFolder else {
      (output, outputDir) = (nil, name)
      return
    }
    if !transcript.json, transcript.format == nil { transcript.format = [style] }
  }

  private func checkFile(_ output: FilePath) throws {
    try require(
      inputs.isOneFile, "-o \(output) is a file, for one input; for several, name a folder.")
    try require(
      !files[0].isSameFile(as: output), "\(output) is an input; write to another file.")
  }

  func perform(in context: CommandContext) async throws {
    let prepare = try await recognition.preparation()
    let (rules, record) = try await textRules.rules(for: recognition)
    if let outputDir { try await makeFolder(outputDir) }
    guard let archive = try await archive(preparing: prepare, rules: record, in: context) else {
      guard output != nil else {
        return try await transcribe(to: nil, preparing: prepare, rules: rules, in: context)
      }
      // From here on, a signal must cancel the work, so that the incomplete file is removed.
      return try await context.canceledBySignals {
        try await transcribe(to: nil, preparing: prepare, rules: rules, in: context)
      }
    }
    // An open archive has a lock file. A signal must cancel the work, so that closing the archive
    // removes the lock file.
    try await context.canceledBySignals {
      do {
        try await transcribe(to: archive, preparing: prepare, rules: rules, in: context)
      } catch {
        await archive.close()
        throw error
      }
      await archive.close()
    }
  }

  private func transcribe(
    to archive: TranscriptArchive?, preparing prepare: @escaping TranscriptionRun.Preparation,
    rules: TextRules, in context: CommandContext
  ) async throws {
    @Dependency(\.speechClient) var speech
    @Dependency(\.continuousClock) var clock
    let done = try await archive?.open()
    let remaining = try RemainingInputs(
      inputs, folder: folder, skipping: resume ? done : nil,
      stopSignal: context.signals.stopSignal)
    // If no files remain, no model is needed.
    if try await !remaining.isEmpty() {
      try await makeReady(speech) { await context.console.notify($0) }
    }
    let isOneFile = inputs.isOneFile
    let showsTotal =
      archive != nil && !isOneFile && !transcript.wantsPartials(on: context.console)
    let run = TranscriptionRun(
      command: self, speech: speech, prepare: prepare, rules: rules, inputs: remaining,
      archive: archive,
      progress: ArchiveProgress(console: showsTotal ? context.console : nil, clock: clock),
      namesFiles: !isOneFile, context: context)
    try await run.transcribeAll()
  }

  /// The inputs that the command's arguments select.
  var inputs: TranscriptionInputs {
    TranscriptionInputs(
      arguments: files, patterns: patterns, list: filesFrom, separator: listSeparator)
  }

  private var listSeparator: UInt8 { endsWithNUL ? 0 : UInt8(ascii: "\n") }

  var folder: TranscriptFolder? {
    outputDir.map { TranscriptFolder(path: $0, styles: transcript.styles) }
  }

  /// Opens the transcripts of an input, in the order of the styles; returns none for standard
  /// output.
  func outputs(for input: TranscriptionInput) async throws -> [PendingOutput] {
    if let output { return [try PendingOutput(path: output.text, followsLinks: true)] }
    return try await folder?.files(for: input) ?? []
  }

  /// Returns the archive that records which inputs are finished; nil if there is no output folder.
  private func archive(
    preparing prepare: TranscriptionRun.Preparation, rules record: String?,
    in context: CommandContext
  ) async throws -> TranscriptArchive? {
    @Dependency(\.settings) var settings
    guard let outputDir else { return nil }
    let chosen = recognition.chosenEngine
    var recipe = JSONRecord(
      engine: chosen.name, styles: transcript.styles, options: recognition)
    // For a local engine, this is the model's folder. For a remote engine, this is the server's
    // address, because a query for the server's model would take time.
    recipe["model"] =
      chosen.isRemote
      ? self.engine.server ?? settings.server : chosen.availability().model?.location
    recipe["rawInput"] = rawInput.map { "\($0.coding.rawValue), \($0.format)" }
    recipe["channels"] = speakers.channels.map { "\($0)" }
    recipe["speakers"] = speakers.speakers
    transcript.addCueLimits(to: &recipe)
    recipe["textRules"] = record
    recipe["partials"] = transcript.wantsPartials(on: context.console) ? true : nil
    // A grammar and phrases are recorded as checksums, because they may be long.
    recipe["grammar"] = try await recognition.grammarText(preparing: prepare).map(stableChecksum)
    if recognition.contextFile != nil {
      let phrases = prepare(SpeechRequest(microphone: .speech)).contextualPhrases
      recipe["contextFile"] = stableChecksum(phrases.joined(separator: "\n"))
    }
    return try TranscriptArchive(
      folder: outputDir, recipe: recipe, listSeparator: listSeparator)
  }
}
