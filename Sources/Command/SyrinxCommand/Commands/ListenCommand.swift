import ArgumentParser
import AudioCore
import AudioRecorderClient
import ClientDependencies
import FilePaths
import Logging
import SoundFile
import SpeechClient
import Synchronization

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

      With --toggle, listening begins switched off: the microphone is closed. The space key or \
      SIGUSR1 switches it on and off, SIGUSR2 off, and the key q ends the command. What was said \
      before switching off becomes a final result. Times count from the last switching on, and so do \
      --seconds and --stop-after-silence, which then switch off.

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
      File for the captured audio, 16 kHz and mono: wav, flac, or any other format of `syrinx \
      record`. Word times refer to this file.
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
    help: .value("time", "Time below --threshold after which listening ends."),
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
    guard toggle else { return }
    try require(keep == nil, "--keep and --toggle exclude each other.")
    if case .cues(let format) = transcript.styles[0] {
      throw ValidationError("--toggle starts over with each switching on; \(format) cannot.")
    }
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
    try await makeReady(speech) { await context.console.notify($0) }
    let saver = try keep.map { try AudioSaver(file: $0, console: context.console) }
    let transcriptFile = try output.map {
      try PendingOutput(path: $0.text, followsLinks: true, growsInPlace: true)
    }
    let command = exec.command(reportingTo: context.console)
    var report = TranscriptReport(
      styles: transcript.styles, to: [transcriptFile].compactMap(\.self),
      languageNotice: recognition.makeLanguageNotice(), console: context.console)
    try await report.begin()
    do {
      try await listen(in: context) { listening in
        let source = source(saving: saver, in: context)
        let events = await speech.recognition(request: prepare(request(of: source, in: context)))
        // Handles a signal that arrived before the client had started the task.
        if context.signals.received != nil || listening?.isOn == false {
          await speech.finishTask()
        }
        for try await event in events {
          try await report.show(event)
          if let command { await run(command, for: event) }
        }
      }
      try await report.end()
    } catch {
      // The transcript keeps what is final; a failure to write it is less important than the error.
      await report.reportLosses()
      try? await transcriptFile?.complete()
      await command?.finish()
      throw error
    }
    try await transcriptFile?.complete()
    await command?.finish()
    try await saver?.finish()
  }

  /// Runs `session` once, or with `--toggle` whenever listening is switched on, until a signal ends
  /// the command.
  private func listen(
    in context: CommandContext, _ session: (_ listening: ListeningSwitch?) async throws -> Void
  ) async throws {
    @Dependency(\.speechClient) var speech
    let listening = toggle ? ListeningSwitch(speech: speech, console: context.console) : nil
    try await context.signals.finishing(with: { [speech] in
      listening?.finish()
      await speech.finishTask()
    }) {
      guard let listening else { return try await session(nil) }
      try await listening.followingKeys(isJSON: transcript.json, in: context) {
        try await context.signals.commanding({ await listening.follow($0) }) {
          try await listening.forEachStart { try await session(listening) }
        }
      }
    }
  }

  private func request(
    of source: any AsyncSequence<AudioBuffer, any Error> & Sendable, in context: CommandContext
  ) -> SpeechRequest {
    let wantsPartials = transcript.wantsPartials(on: context.console)
    var request = SpeechRequest(microphone: .speech, shouldReportPartialResults: wantsPartials)
    if input != nil { (request.backPressure, request.isLive) = (.wait, true) }
    request.source = .buffers(source)
    request.measuresWordTimes = transcript.styles[0].hasWordTimes
    return request
  }

  /// Returns the audio of the microphone or of standard input, up to the requested end.
  private func source(
    saving saver: AudioSaver?, in context: CommandContext
  ) -> any AsyncSequence<AudioBuffer, any Error> & Sendable {
    var source: any AsyncSequence<AudioBuffer, any Error> & Sendable
    if let input {
      // Short buffers arrive soon, even at low rates.
      source = input.buffers(framesPerBuffer: 512, problems: context.problems)
    } else {
      var capture = CaptureRequest.speech
      capture.device = device.id
      capture.onDeviceLoss = wait.onDeviceLoss
      source = MicrophoneAudio(capture) { await began(with: $0, in: context) }
    }
    source = limited(source)
    if let saver { source = saver.saving(source) }
    return meter ? InputMeter(console: context.console).showing(source) : source
  }

  private func limited(
    _ audio: some AsyncSequence<AudioBuffer, any Error> & Sendable
  ) -> any AsyncSequence<AudioBuffer, any Error> & Sendable {
    let limit = Duration.seconds(seconds ?? 31_536_000)
    guard let stopAfterSilence else { return seconds == nil ? audio : audio.prefix(limit) }
    return audio.prefix(limit).endingAfterSilence(
      below: Decibels(threshold ?? -40), hold: .seconds(stopAfterSilence))
  }

  /// Runs the command of `--exec` for a final result: once, or with key phrases for each phrase.
  private func run(_ command: EventCommand, for event: SpeechRecognitionEvent) async {
    guard case .result(let result) = event, result.isFinal else { return }
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

/// Shows the level of the microphone's audio on the terminal.
private actor InputMeter {
  private let console: Console
  private var levels = LevelMeter(every: .milliseconds(100))
  private var meter = LevelMeterLine()

  init(console: Console) {
    self.console = console
  }

  /// Returns the same buffers, and shows the level of each buffer as it is read.
  nonisolated func showing(
    _ buffers: some AsyncSequence<AudioBuffer, any Error> & Sendable
  ) -> any AsyncSequence<AudioBuffer, any Error> & Sendable {
    buffers.map { buffer in
      await self.show(buffer)
      return buffer
    }
  }

  private func show(_ buffer: AudioBuffer) async {
    let rate = buffer.format.sampleRate
    for reading in levels.process(buffer) {
      let label = reading.endFrame.duration(at: rate).clockText
      meter.update(reading, at: rate, label: label)
      await console.showMeter(meter)
    }
  }
}

/// Saves the recognizer's input to the file of `--keep`, so that word times apply to the file.
private final class AudioSaver: Sendable {
  private let file: FilePath
  private let encoding: SoundFileEncoding
  private let console: Console
  // The lock is held to store or read the failure.
  private let failure = Mutex<(error: any Error, isReported: Bool)?>(nil)

  init(file: FilePath, console: Console) throws(SoundFileError) {
    self.file = file
    encoding = try SoundFileEncoding(pathExtension: file.pathExtension)
    self.console = console
  }

  /// Returns the same buffers, and writes each to the file until a write fails.
  func saving(
    _ buffers: some AsyncSequence<AudioBuffer, any Error> & Sendable
  ) -> any AsyncSequence<AudioBuffer, any Error> & Sendable {
    let policy = TeePolicy(
      failure: .continues { error in
        self.failure.withLock { $0 = (error, false) }
      })
    return buffers.teed(to: file.url, encoding: encoding, policy: policy).map { buffer in
      await self.report()
      return buffer
    }
  }

  /// Throws if the file is incomplete; call it after the last result.
  func finish() async throws(CommandEnd) {
    await report()
    if failure.withLock({ $0 != nil }) { throw .reported }
  }

  private func report() async {
    let error = failure.withLock { failure in
      defer { failure?.isReported = true }
      return failure?.isReported == false ? failure?.error : nil
    }
    guard let error else { return }
    await console.report("the audio is no longer kept: \(error)")
  }
}
