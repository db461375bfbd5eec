import AudioRecorderClient
import Testing

@testable import SyrinxCommand

struct PipeRecordingTests {
  @Test
  func `a recording to standard output keeps half a minute for its reader`() throws {
    let context = CommandContext(console: try Console(), signals: StopSignals())
    let recording = PipeRecording(settings: RecordingSettings(), context: context)
    #expect(recording.request(RecordingID()).droppingOldestAfter >= .seconds(30))
  }
}
