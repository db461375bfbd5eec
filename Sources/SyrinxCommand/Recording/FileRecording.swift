import AudioCore
import AudioRecorderClient
import ClientDependencies
import FoundationEssentials

/// A recording into a file.
struct FileRecording {
  let url: URL
  let settings: RecordingSettings
  let context: CommandContext

  func run() async throws {
    @Dependency(\.audioRecorder) var recorder
    try await context.signals.finishing(with: { [recorder] in await recorder.stopRecording() }) {
      let events = await recorder.recording(request: request)
      // A signal that came before the recorder knew of this recording did not stop it.
      if context.signals.received != nil { await recorder.stopRecording() }
      var report = RecordingReport(device: settings.device, context: context)
      for try await event in events {
        await report.show(event)
        if case .finished(let finish) = event, finish.reason == .deviceEnded {
          guard finish.frameCount > 0 else { throw CommandFailure.noSound }
          try settings.check(recorded: finish.recorded)
        }
      }
    }
  }

  private var request: RecordingRequest {
    RecordingRequest(
      url: url, fileFormat: settings.fileFormat, device: settings.device,
      sampleRate: settings.sampleRate, channelCount: settings.channelCount,
      maximumDuration: settings.length)
  }
}
