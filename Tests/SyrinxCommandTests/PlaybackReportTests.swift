import AudioCore
import AudioPlayerClient
import Testing

@testable import SyrinxCommand

struct PlaybackReportTests {
  private func report(_ loop: LoopCount, announced: Duration?) async throws -> PlaybackReport {
    let context = CommandContext(console: try Console(), signals: StopSignals())
    var report = PlaybackReport(file: "a.wav", loop: loop, context: context)
    await report.show(
      .started(PlaybackStart(device: "virtual", format: .speech, announcedDuration: announced)))
    return report
  }

  @Test
  func `less than was announced is told for one repetition`() async throws {
    let report = try await report(.times(2), announced: .seconds(3))
    #expect(report.shortfall(.seconds(6)) == nil)
    #expect(report.shortfall(.seconds(6) - .microseconds(62)) == nil)
    #expect(
      report.shortfall(.seconds(3))
        == "a.wav is shorter than its header says: 3.000 s were announced, 1.500 s were there")
  }

  @Test
  func `what announces nothing, or never ends, cannot fall short`() async throws {
    #expect(try await report(.times(1), announced: nil).shortfall(.seconds(1)) == nil)
    #expect(try await report(.forever, announced: .seconds(3)).shortfall(.seconds(1)) == nil)
  }

  @Test
  func `the whole length is shown where it is known`() async throws {
    #expect(
      try await report(.times(2), announced: .seconds(3)).status(.seconds(4)) == "0:04.0 / 0:06.0")
    #expect(try await report(.forever, announced: .seconds(3)).status(.seconds(4)) == "0:04.0")
    #expect(try await report(.times(1), announced: nil).status(.seconds(4)) == "0:04.0")
  }
}
