import ArgumentParser
import AudioCore
import AudioRecorderClient
import ClientDependencies
import SpeechClient

/// `syrinx listen`: a microphone to text.
struct ListenCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "listen",
    abstract: "Writes what is said into a microphone, a line for each utterance.",
    discussion: """
      It ends at Ctrl-C, or with its device, after the last utterance has been written; the exit status \
      is 0 then. A second Ctrl-C ends at once.

      With --partials an utterance can be watched while it is spoken: on a terminal a line is written \
      again and again, with --json there is a line for each change; text that goes into a pipe \
      stays final.

      \(SpeechClient.modelHelp)

      \(UtteranceRecord.schema)
      """)

  @OptionGroup var device: CaptureDeviceOption

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @Flag(help: "Show what is understood so far.")
  var partials = false

  @OptionGroup var recognition: SpeechOptions

  @OptionGroup var common: CommonOptions

  func perform(in context: CommandContext) async throws {
    @Dependency(\.speechClient) var speech
    @Dependency(\.audioRecorder) var recorder
    try await speech.makeReady()
    try await context.signals.finishing(with: { [speech] in await speech.finishTask() }) {
      await context.console.mention(
        "listening to \(device.name ?? "the default microphone"); Ctrl-C ends it")
      let heard = MicrophoneHearing(context: context)
      // A recogniser that falls behind for a while must not lose a word: a minute costs 4 MB.
      let capture = CaptureRequest(
        device: device.id, sampleRate: .speech, channelCount: 1, droppingOldestAfter: .seconds(60))
      let blocks = await recorder.capture(request: capture)
      let results = await speech.startTask(request: request(heard.buffers(of: blocks)))
      // A signal that came before the client knew of this task did not finish it.
      if context.signals.received != nil { await speech.finishTask() }
      let report = TranscriptReport(json: json, console: context.console)
      for try await result in results { try await report.show(result) }
      await heard.reportLoss()
    }
  }

  private func request(
    _ buffers: some AsyncSequence<AudioBuffer, any Error> & Sendable
  ) -> SpeechRequest {
    recognition.applied(
      to: SpeechRequest(buffers: buffers, shouldReportPartialResults: partials))
  }
}
