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
    abstract: "Transcribe a microphone, one line per utterance.",
    discussion: """
      Examples:
        syrinx listen
        syrinx listen --partials --keep meeting.flac
        syrinx listen --key-phrase "lights on" --json

      Ctrl-C, or the end of the device, ends the command after the last utterance with exit status \
      0. A second Ctrl-C ends it at once. If the machine is too slow, up to a minute of audio is \
      queued. Beyond that, the oldest audio is dropped; standard error reports how much, at most once \
      per second of audio.

      \(TranscriptOptions.help)

      \(EngineName.help)

      \(JSONRecord.utteranceSchema) \(JSONRecord.lagSchema)
      """)

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

  @OptionGroup var recognition: SpeechOptions

  @OptionGroup var textRules: TextRuleOptions

  @OptionGroup var wait: WaitOption

  @OptionGroup var engine: EngineOptions

  @OptionGroup var common: CommonOptions

  var printsFailureAsJSON: Bool { transcript.json }

  func validate() throws {
    try recognition.checkTranscript(transcript)
    try transcript.checkSingleFormat()
    try require(
      !meter || !transcript.partials,
      "--meter and --partials both need the last line of the terminal; use one of them.")
    guard let keep else { return }
    try checkExtension(of: keep, option: "--keep ")
    try require(
      !device.captures(keep),
      "\(keep) is the input of the virtual microphone; keep the audio in another file.")
  }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.speechClient) var speech
    let prepare = try await recognition.preparation()
    let (rules, _) = try await textRules.rules(for: recognition)
    try await makeReady(speech) { await context.console.notify($0) }
    let saver = try keep.map { try AudioSaver(file: $0, console: context.console) }
    try await context.signals.finishing(with: { [speech] in await speech.finishTask() }) {
      try await listen(
        with: speech, preparing: prepare, rules: rules, saving: saver, in: context)
    }
  }

  private func listen(
    with speech: SpeechClient, preparing prepare: (SpeechRequest) -> SpeechRequest,
    rules: TextRules, saving saver: AudioSaver?, in context: CommandContext
  ) async throws {
    var capture = CaptureRequest.speech
    capture.device = device.id
    capture.onDeviceLoss = wait.onDeviceLoss
    var request = SpeechRequest(
      microphone: capture,
      shouldReportPartialResults: transcript.wantsPartials(on: context.console))
    request.measuresWordTimes = transcript.styles[0].hasWordTimes
    let audio = MicrophoneAudio(capture) { await began(with: $0, in: context) }
    var source: any AsyncSequence<AudioBuffer, any Error> & Sendable = audio
    if let saver { source = saver.saving(audio) }
    if meter { source = InputMeter(console: context.console).showing(source) }
    request.source = .buffers(source)
    let events = await speech.recognition(request: prepare(request))
    // Handles a signal that arrived before the client had started the task.
    if context.signals.received != nil { await speech.finishTask() }
    var report = TranscriptReport(
      styles: transcript.styles, rules: rules, cuePolicy: transcript.cuePolicy,
      language: recognition.transcriptLanguage,
      languageNotice: recognition.makeLanguageNotice(), console: context.console)
    try await report.begin()
    do {
      for try await event in events { try await report.show(event) }
    } catch {
      await report.reportLosses()
      throw error
    }
    try await report.end()
    try await saver?.finish()
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
  ) -> some AsyncSequence<AudioBuffer, any Error> & Sendable {
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
