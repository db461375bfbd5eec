import AudioCore
import AudioThreads
import Testing

@testable import AudioPlayerClientLive

@Suite struct ReporterTests {
  private func voice() throws -> Voice {
    try Voice(
      format: AudioFormat(sampleRate: 8_000, channelCount: 1), capacity: .milliseconds(10),
      volume: 1
    ) { _ in }
  }

  @Test func `as many voices as the table holds are admitted and not one more`() throws {
    let reporter = Reporter(link: try CardLink(volume: MasterVolume()))
    for _ in 0..<VoiceTable.limit {
      let isAdmitted = try reporter.admit(voice())
      #expect(isAdmitted)
    }
    #expect(throws: TooManyVoices.self) { _ = try reporter.admit(voice()) }
  }

  @Test func `a device that has failed admits nothing`() throws {
    struct Lost: Error {}
    let reporter = Reporter(link: try CardLink(volume: MasterVolume()))
    reporter.end(.failure(Lost()))
    #expect(reporter.hasFailed)
    let isAdmitted = try reporter.admit(voice())
    #expect(!isAdmitted)
  }
}
