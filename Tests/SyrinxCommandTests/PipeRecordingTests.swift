import AudioRecorderClient
import Testing

@testable import SyrinxCommand

struct PipeRecordingTests {
  @Test
  func `a reader that rests for half a minute loses nothing`() throws {
    let context = CommandContext(console: try Console(), signals: StopSignals())
    let recording = PipeRecording(settings: RecordingSettings(), context: context)
    #expect(recording.request.droppingOldestAfter >= .seconds(30))
  }
}
