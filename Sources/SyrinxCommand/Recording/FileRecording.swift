import AudioCore
import AudioRecorderClient
import ClientDependencies
import FoundationEssentials

/// A recording into a file, or several.
struct FileRecording {
  let request: RecordingRequest
  let settings: RecordingSettings
  let context: CommandContext

  init(url: URL, settings: RecordingSettings, rules: RecordingRuleOptions, context: CommandContext)
  {
    var request = RecordingRequest(
      url: url, fileFormat: settings.fileFormat, device: settings.device,
      sampleRate: settings.sampleRate, channelCount: settings.channelCount,
      maximumDuration: settings.length, id: RecordingID(),
      // Where nobody sees the levels they are told seldom, which saves work.
      levelsInterval: .milliseconds(
        settings.printsEvents || context.console.isWatched ? 100 : 1_000),
      onDeviceLoss: settings.onDeviceLoss)
    rules.apply(to: &request)
    (self.request, self.settings, self.context) = (request, settings, context)
  }

  func run() async throws {
    @Dependency(\.audioRecorder) var recorder
    try await context.signals.finishing(with: { [recorder] in await recorder.stopRecording() }) {
      try await context.signals.commanding({ [recorder, request] in
        await obey($0, recorder, request)
      }) {
        try await follow(recorder)
      }
    }
  }

  private func follow(_ recorder: AudioRecorderClient) async throws {
    let events = await recorder.recording(request: request)
    // A signal that came before the recorder knew of this recording did not stop it.
    if context.signals.received != nil { await recorder.stopRecording() }
    var report = RecordingReport(
      device: settings.device, gaps: request.gaps, context: context)
    for try await event in events {
      await report.show(event)
      if settings.printsEvents { try await print(event, recorder) }
      if case .finished(let finish) = event { try settings.check(finish) }
    }
  }

  /// Prints an event; where nobody reads them any more the file is completed first.
  private func print(_ event: RecordingEvent, _ recorder: AudioRecorderClient) async throws {
    do {
      try await context.console.print(RecordingRecord(event).jsonLine())
    } catch {
      await recorder.stopRecording()
      throw error
    }
  }
}

/// Passes on what the signals say.
private func obey(
  _ signals: AsyncStream<Int32>, _ recorder: AudioRecorderClient, _ request: RecordingRequest
) async {
  var commands = SignalCommands()
  for await signal in signals {
    guard let id = request.id, let command = commands.command(for: signal) else { continue }
    // A recording that is not there any more needs no command.
    do {
      try await recorder.control(id: id, command: command)
      commands.succeeded(command)
    } catch {}
  }
}
