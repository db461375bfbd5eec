import AudioCore
import AudioPlayerClient
import FilePaths
import Testing

@testable import SyrinxCommand

struct PlaybackReportTests {
  @Test
  func `the status line shows the position in the file and the length if it is known`() {
    let place = PlaybackProgress(played: .seconds(9), time: .seconds(4), length: .seconds(6))
    #expect(PlaybackReport.status(place) == "0:04.0 / 0:06.0")
    let unknown = PlaybackProgress(played: .seconds(9), time: .seconds(4))
    #expect(PlaybackReport.status(unknown) == "0:04.0")
  }

  @Test
  func `the report knows which failures it has reported`() async throws {
    let context = CommandContext(console: try Console(), signals: StopSignals())
    var report = PlaybackReport(files: ["a.wav"], json: false, context: context)
    let error = AudioPlayerError.source(nil, reason: "a.wav is empty")
    try await report.show(.failed(item: 0, error))
    #expect(report.failures == [error])
  }
}
