import ArgumentParser
import AudioCore
import AudioRecorderClient
import ClientDependencies
import FilePaths
import Logging
import SoundFile
import SpeechClient

/// `syrinx listen`: transcribes a microphone.
struct ListenCommand: RecognizingSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "listen",
    abstract: "Transcribe a microphone or a live stream, one line per utterance.",
    discussion: """
      Examples:
        syrinx listen --partials --keep meeting.flac
        syrinx listen --toggle --exec 'wtype -'
        arecord -t raw -f MU_LAW | syrinx listen - --raw-input ulaw

      Ctrl-C, or the end of the device, ends the command after the last utterance with exit status \
      0. A second Ctrl-C ends it at once. If the machine is too slow, up to a minute of audio is \
      queued. Beyond that, the oldest audio is dropped; standard error reports how much, at most once \
      per second of audio. With -, the stream on standard input sets the pace, and nothing is \
      dropped.

      \(execHelp)

      With -o, a new file grows with each final result. An existing file is replaced at the end, and \
      stays if nothing was recognized before an error, or after a second Ctrl-C.

      With --toggle, the microphone is closed at first. The space key or SIGUSR1 opens or closes it, \
      SIGUSR2 closes it, and the key q ends the command. Speech up to that moment becomes a final \
      result. A microphone that fails is reported and switches off. Each start resets the timestamps. --seconds and --stop-after-silence switch off instead \
      of ending the command.

      \(TranscriptOptions.help)

      \(EngineName.help)

      \(JSONRecord.utteranceSchema) \(JSONRecord.lagSchema)
      """)

  private static let execHelp = ExecOptions.help(
    """
    final text, which is its standard input and the variable SYRINX_TEXT, or with --key-phrase, \
    for each phrase, which is also the variable SYRINX_KEY_PHRASE
    """)

  @Argument(help: "A live stream on standard input (-) instead of a microphone.")
  var input: FilePath?

  @OptionGroup var device: CaptureDeviceOption

  @OptionGroup var transcript: TranscriptOptions

  @Flag(help: "Show the level of the microphone on a terminal.")
  var meter = false

  @Option(
    help: .value(
      "file",
      """
      File for the captured audio, 16 kHz and mono (all channels with --channels separate): wav, \
      flac, or any other format of `syrinx record`. Word times refer to this file.
      """))
  var keep: FilePath?

  @Option(
    name: .shortAndLong,
    help: .value(
      "file",
      "Transcript (txt, srt, vtt, tsv, json, jsonl); a new file grows with each final result."))
  var output: FilePath?

  @Option(
    parsing: .unconditional, help: .value("time", "Time to listen (default: until stopped)."),
    transform: TimeValue.seconds)
  var seconds: Double?

  @Option(
    parsing: .unconditional,
    help: .value(
      "time",
      "Time below --threshold, from the start or the last sound, after which listening ends."),
    transform: TimeValue.seconds)
  var stopAfterSilence: Double?

  @Option(
    parsing: .unconditional,
    help: .value("dBFS", "Level that separates sound from silence (default: -40)."))
  var threshold: Double?

  @Flag(help: "Begin switched off; a key or a signal switches listening on and off.")
  var toggle = false

  @OptionGroup var exec: ExecOptions

  @OptionGroup var raw: RawInputOptions

  @OptionGroup var recognition: SpeechOptions

  @OptionGroup var speakers: ChannelOptions

  @OptionGroup var textRules: TextRuleOptions

  @OptionGroup var wait: WaitOption

  @OptionGroup var engine: EngineOptions

  @OptionGroup var common: CommonOptions

  var printsFailureAsJSON: Bool { transcript.json }

  var rawInput: RawAudioFormat? { raw.format }

  var takesCommandSignals: Bool { toggle }

  mutating func validate() throws {
    try check("--seconds", seconds, in: 0.001...31_536_000, "a time in seconds")
    try check("--stop-after-silence", stopAfterSilence, in: 0.01...86_400, "a time in seconds")
    try check("--threshold", threshold, in: -120...0, "a level in dBFS")
    try require(
      threshold == nil || stopAfterSilence != nil, "--threshold requires --stop-after-silence.")
    try chooseFormat()
    try recognition.checkTranscript(transcript)
    try transcript.checkSingleFormat()
    try checkInput()
    try require(
      !meter || !transcript.partials,
      "--meter and --partials both need the last line of the terminal; use one of them.")
    guard let keep else { return }
    try checkExtension(of: keep, option: "--keep ")
    try require(
      !device.captures(keep),
      "\(keep) is the input of the virtual microphone; keep the audio in another file.")
  }

  private func checkInput() throws {
    if let input {
      try require(
        input == "-",
        "\(input) is a file: use `syrinx transcribe`, or capture it with -d virtual:FILE.")
      try require(device.name == nil, "- (standard input) and --device exclude each other.")
      try require(!toggle, "--toggle requires a microphone, not standard input (-).")
    }
    try require(
      raw.coding == nil || input != nil, "--raw-input requires standard input (-).")
    if let coding = raw.coding, [.gsm, .g722].contains(coding) {
      throw ValidationError(
        "--raw-input \(coding.rawValue) is decoded only after its end; use `syrinx transcribe -`.")
    }
    guard toggle else { return }
    try require(keep == nil, "--keep and --toggle exclude each other.")
    let style = transcript.styles[0]
    try require(
      !style.hasBeginning,
      "--toggle restarts the timestamps, which \(style.name) does not permit; use text or json.")
  }

  /// Selects the format by the extension of `--output`, unless an option does.
  private mutating func chooseFormat() throws {
    if output == "-" { output = nil }
    guard let output, !transcript.json, transcript.format == nil else { return }
    guard let style = TranscriptStyle(pathExtension: output.pathExtension) else {
      throw ValidationError(
        "-o \(output): use the extension txt, srt, vtt, tsv, json, or jsonl, or --format.")
    }
    transcript.format = [style]
  }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.speechClient) var speech
    let prepare = try await recognition.preparation()
    let (rules, _) = try await textRules.rules(for: recognition)
    try await makeReady(speech) { await context.console.notify($0) }
    let saver = try keep.map { try AudioSaver(file: $0, console: context.console) }
    let transcriptFile = try output.map {
      try PendingOutput(path: $0.text, followsLinks: true, growsInPlace: true)
    }
    let command = exec.command(in: context)
    var report = TranscriptReport(
      styles: transcript.styles, rules: rules, cuePolicy: transcript.cuePolicy,
      language: recognition.transcriptLanguage, to: [transcriptFile].compactMap(\.self),
      speakers: speakers.speakerNames, languageNotice: recognition.makeLanguageNotice(),
      console: context.console)
    try await command.finishing {
      do {
        try await report.begin()
        try await listen(preparing: prepare, saving: saver, in: context) { event in
          let result = try await report.show(event)
          if let command, let result, result.isFinal { await run(command, for: result) }
        }
        try await report.end()
      } catch {
        // The final results are kept. The first error is the one to report.
        await report.reportLosses()
        await end(transcriptFile, hasResults: report.hasResults, reportingTo: context.console)
        throw error
      }
      try await transcriptFile?.complete()
      try await saver?.finish()
    }
  }

  /// Completes a transcript after an error; without final results, an existing file stays.
  private func end(
    _ transcript: PendingOutput?, hasResults: Bool, reportingTo console: Console
  ) async {
    guard hasResults else {
      await transcript?.discard()
      return
    }
    do { try await transcript?.complete() } catch { await console.report("\(error)") }
  }

  /// Passes on the events of the audio, or with `--toggle`, of the audio from each switching on, until
  /// a signal or the key q ends the command.
  private func listen(
    preparing prepare: @escaping TranscriptionRun.Preparation, saving saver: AudioSaver?,
    in context: CommandContext, _ show: (SpeechRecognitionEvent) async throws -> Void
  ) async throws {
    @Dependency(\.speechClient) var speech
    guard toggle else {
      return try await context.signals.finishing(with: { [speech] in await speech.finishTask() }) {
        let audio = source(saving: saver, in: context)
        let events = await speech.recognition(request: prepare(request(of: audio, in: context)))
        // Handles a signal that arrived before the client had started the task.
        if context.signals.received != nil { await speech.finishTask() }
        for try await event in events { try await show(event) }
      }
    }
    let listening = listeningSwitch(speech, preparing: prepare, in: context)
    let finish = { @Sendable [speech] in
      listening.finish()
      await speech.finishTask()
    }
    let isComplete = try await context.signals.finishing(with: finish) {
      try await listening.followingKeys(isJSON: transcript.json, in: context, quit: finish) {
        try await context.signals.commanding({ await listening.follow($0) }) {
          try await listening.forEachSession { events in
            for try await event in events { try await show(event) }
          } whenFailed: { error in
            let sentence = ErrorReport.sentence(error)
            await context.console.report(sentence)
            guard transcript.json else { return }
            try await context.console.print(JSONRecord(error: sentence).jsonLine())
          }
        }
      }
    }
    if !isComplete { throw CommandEnd.reported }
  }

  /// Returns the switch of `--toggle`; each session has a capture with its own ID.
  private func listeningSwitch(
    _ speech: SpeechClient, preparing prepare: @escaping TranscriptionRun.Preparation,
    in context: CommandContext
  ) -> ListeningSwitch {
    @Dependency(\.audioRecorder) var recorder
    return ListeningSwitch(console: context.console) { session, whenOpen in
      let audio = source(session: session, whenOpen: whenOpen, in: context)
      return await speech.recognition(request: prepare(request(of: audio, in: context)))
    } end: { [recorder] session in
      // The error is ignored, because a capture that has ended accepts no command.
      do { try await recorder.control(id: session, command: .stop) } catch {}
    }
  }

  private func request(
    of source: any AsyncSequence<AudioBuffer, any Error> & Sendable, in context: CommandContext
  ) -> SpeechRequest {
    let wantsPartials = transcript.wantsPartials(on: context.console)
    var request = SpeechRequest(microphone: .speech, shouldReportPartialResults: wantsPartials)
    if input != nil { (request.backPressure, request.isLive) = (.wait, true) }
    request.source = .buffers(source)
    // A microphone is captured with only the channel that `--channels N` names.
    let hasAllChannels = input != nil || speakers.channels == .separate
    if hasAllChannels { request.channels = speakers.channels ?? .mixed }
    request.measuresWordTimes = transcript.styles[0].hasWordTimes
    return request
  }

  /// Returns the audio of the microphone or of standard input, up to the requested end.
  ///
  /// `session` is the ID of a capture, and `whenOpen` announces its microphone.
  private func source(
    saving saver: AudioSaver? = nil, session: RecordingID? = nil,
    whenOpen: (@Sendable () async -> Void)? = nil, in context: CommandContext
  ) -> any AsyncSequence<AudioBuffer, any Error> & Sendable {
    var source: any AsyncSequence<AudioBuffer, any Error> & Sendable
    if let input {
      // At 8 kHz, 512 frames are 64 ms.
      source = input.buffers(framesPerBuffer: 512, problems: context.problems)
    } else {
      var capture = CaptureRequest.speech
      capture.device = device.id
      capture = capture.capturing(speakers.channels ?? .mixed)
      capture.onDeviceLoss = wait.onDeviceLoss
      capture.id = session
      source = MicrophoneAudio(capture) { first in
        guard let whenOpen else { return await began(with: first, in: context) }
        await whenOpen()
      }
    }
    source = limited(source)
    if let saver { source = saver.saving(source) }
    return meter ? InputMeter(console: context.console).showing(source) : source
  }

  private func limited(
    _ audio: some AsyncSequence<AudioBuffer, any Error> & Sendable
  ) -> any AsyncSequence<AudioBuffer, any Error> & Sendable {
    let limited = audio.prefix(Duration.seconds(seconds ?? 31_536_000))
    guard let stopAfterSilence else { return limited }
    return limited.endingAfterSilence(
      below: Decibels(threshold ?? -40), hold: .seconds(stopAfterSilence))
  }

  /// Runs the command of `--exec` for a final result: once, or with key phrases for each phrase.
  private func run(_ command: EventCommand, for result: SpeechRecognitionResult) async {
    let words = result.bestTranscription
    // Control characters of a server or a model must not reach a window or a shell.
    guard recognition.keyPhrases.isEmpty else {
      for phrase in words.segments.map(\.substring.printableLine) {
        await command.run(for: phrase, as: "SYRINX_TEXT", "SYRINX_KEY_PHRASE")
      }
      return
    }
    guard !words.segments.isEmpty else { return }
    await command.run(for: words.formattedString.printableLine, as: "SYRINX_TEXT")
  }

  /// Announces the microphone when its first audio arrives.
  private func began(with first: CapturedAudio, in context: CommandContext) async {
    let microphone = device.name ?? first.device.map { "\($0.device)" } ?? "the default microphone"
    let format = first.device?.format ?? first.buffer.format
    await context.console.notifyTerminal(
      "listening to \(microphone) (\(format)); press Ctrl-C to stop")
    context.log.info("listening to \(microphone): \(format)")
  }
}
