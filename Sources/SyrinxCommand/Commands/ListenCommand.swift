import ArgumentParser
import AudioCore
import AudioRecorderClient
import ClientDependencies
import FilePaths
import Logging
import SoundFile
import SpeechClient
import Synchronization

/// `syrinx listen`: a microphone to text.
struct ListenCommand: RecognisingSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "listen",
    abstract: "Writes what is said into a microphone, a line for each utterance.",
    discussion: """
      It ends at Ctrl-C, or with its device, after the last utterance has been written; the exit status \
      is 0 then. A second Ctrl-C ends at once. Where the machine is too slow a minute of sound may wait; \
      what is more is dropped, oldest first, and standard error says so: how much in all, at most once in \
      a second of sound.

      \(TranscriptOptions.help)

      \(EngineName.help)

      \(UtteranceRecord.schema) \(LagRecord.schema)
      """)

  @OptionGroup var device: CaptureDeviceOption

  @OptionGroup var transcript: TranscriptOptions

  @Option(
    help: ArgumentHelp(
      """
      Keep what is heard, at 16 kHz and mono, in this file: wav, flac or any other that record \
      writes. The times of the words are those of the file.
      """, valueName: "file"))
  var keep: FilePath?

  @OptionGroup var recognition: SpeechOptions

  @OptionGroup var engine: EngineOptions

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try recognition.check(for: transcript)
    guard let keep else { return }
    do {
      _ = try SoundFileEncoding(pathExtension: keep.pathExtension)
    } catch {
      throw ValidationError("--keep \(keep): \(error).")
    }
    if case .virtualMicrophone(let path) = DeviceRoute(device.id), path.isSameFile(as: keep) {
      throw ValidationError("\(keep) is what the microphone hears; keep it in another file.")
    }
  }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.speechClient) var speech
    try await speech.makeReady(for: recognition)
    let kept = try keep.map { try KeptAudio(file: $0, console: context.console) }
    try await context.signals.finishing(with: { [speech] in await speech.finishTask() }) {
      try await listen(with: speech, keeping: kept, in: context)
    }
  }

  private func listen(
    with speech: SpeechClient, keeping kept: KeptAudio?, in context: CommandContext
  ) async throws {
    var capture = CaptureRequest.speech
    capture.device = device.id
    var request = SpeechRequest(
      microphone: capture,
      shouldReportPartialResults: transcript.wantsPartials(on: context.console))
    request.measuresWordTimes = transcript.style.hasWordTimes
    let audio = MicrophoneAudio(capture) { await began(with: $0, in: context) }
    request.source = .buffers(
      kept?.keeping(audio) as (any AsyncSequence<AudioBuffer, any Error> & Sendable)? ?? audio)
    let events = await speech.recognition(request: recognition.applied(to: request))
    // A signal that came before the client knew of this task did not finish it.
    if context.signals.received != nil { await speech.finishTask() }
    var report = TranscriptReport(style: transcript.style, console: context.console)
    try await report.begin()
    do {
      for try await event in events { try await report.show(event) }
    } catch {
      await report.tellLosses()
      throw error
    }
    try await report.end()
    try await kept?.finish()
  }

  /// Says that it listens, as soon as the microphone gives something and not before.
  private func began(with first: CapturedAudio, in context: CommandContext) async {
    let microphone = device.name ?? first.device.map { "\($0.device)" } ?? "the default microphone"
    let format = first.device?.format ?? first.buffer.format
    await context.console.mention("listening to \(microphone) (\(format)); Ctrl-C ends it")
    context.log.info("listening to \(microphone): \(format)")
  }
}

/// The file of `listen --keep`: what the recogniser hears, on the same time-line.
final class KeptAudio: Sendable {
  private struct Failure {
    let error: any Error
    var isReported = false
  }

  private let file: FilePath
  private let encoding: SoundFileEncoding
  private let console: Console
  // Held to note the one failure and to look at it.
  private let failure = Mutex<Failure?>(nil)

  init(file: FilePath, console: Console) throws(SoundFileError) {
    self.file = file
    encoding = try SoundFileEncoding(pathExtension: file.pathExtension)
    self.console = console
  }

  /// The same buffers, written on their way; where that fails, they go on alone.
  func keeping(
    _ buffers: some AsyncSequence<AudioBuffer, any Error> & Sendable
  ) -> some AsyncSequence<AudioBuffer, any Error> & Sendable {
    let policy = TeePolicy(
      failure: .goesOn { error in
        self.failure.withLock { $0 = Failure(error: error) }
      })
    return buffers.teed(to: file.url, encoding: encoding, policy: policy).map { buffer in
      await self.report()
      return buffer
    }
  }

  /// Throws where the file is not complete; to be called when the last result has come.
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
