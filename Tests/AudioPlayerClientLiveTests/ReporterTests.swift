import AudioCore
import AudioThreads
import SoundCard
import Testing

@testable import AudioPlayerClientLive

@Suite struct ReporterTests {
  private func voice() throws -> Voice {
    try Voice(
      format: AudioFormat(sampleRate: 8_000, channelCount: 1), capacity: .milliseconds(10),
      volume: 1
    ) { _ in }
  }

  private func reporter() throws -> Reporter {
    Reporter(
      link: try CardLink(volume: MasterVolume()),
      monitor: MonitoredPlayback(try SimulatedPlayback()).monitor)
  }

  @Test func `how the device ended is said once, by whoever noticed it first`() throws {
    let reporter = try reporter()
    reporter.end(.failure(SoundCardError.notAnswering("x", operation: "drop")))
    reporter.end(.success(()))
    #expect(reporter.hasFailed)
  }

  @Test func `as many voices as the table holds are admitted and not one more`() throws {
    let reporter = try reporter()
    for _ in 0..<VoiceTable.limit {
      let isAdmitted = try reporter.admit(voice())
      #expect(isAdmitted)
    }
    #expect(throws: TooManyVoices.self) { _ = try reporter.admit(voice()) }
  }

  @Test func `a device that has failed admits nothing`() throws {
    struct Lost: Error {}
    let reporter = try reporter()
    reporter.end(.failure(Lost()))
    #expect(reporter.hasFailed)
    let isAdmitted = try reporter.admit(voice())
    #expect(!isAdmitted)
  }
}
