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
      mixer: CardThread(
        pcm: try SimulatedPlayback(), link: try CardLink(volume: MasterVolume())))
  }

  @Test func `how the device ended is said once, by whoever noticed it first`() throws {
    let reporter = try reporter()
    reporter.end(.failure(SoundCardError.notAnswering("x", operation: "drop")))
    reporter.end(.success(()))
    #expect(reporter.hasFailed)
  }

  @Test func `as many voices as the table holds have a place and not one more`() throws {
    let reporter = try reporter()
    for index in 0..<VoiceTable.limit {
      try reporter.reserve()
      // Whether they have come to take it or not.
      guard index.isMultiple(of: 2) else { continue }
      let isAdmitted = reporter.admit(try voice())
      #expect(isAdmitted)
    }
    #expect(throws: TooManyVoices.self) { try reporter.reserve() }
  }

  @Test func `a voice that the card's thread has not given back keeps its place`() throws {
    let reporter = try reporter()
    var voices: [Voice] = []
    for _ in 0..<VoiceTable.limit {
      try reporter.reserve()
      voices.append(try voice())
      _ = reporter.admit(voices[voices.count - 1])
    }
    for voice in voices { reporter.finish(voice, .finished(heard: 0)) }
    #expect(throws: TooManyVoices.self) { try reporter.reserve() }
    for voice in voices { reporter.link.events.tryWrite(.finished(.passRetained(voice))) }
    reporter.end(.success(()))
    reporter.run()
    for _ in 0..<VoiceTable.limit { try reporter.reserve() }
    #expect(throws: TooManyVoices.self) { try reporter.reserve() }
  }

  @Test func `a device that has failed admits nothing`() throws {
    struct Lost: Error {}
    let reporter = try reporter()
    reporter.end(.failure(Lost()))
    #expect(reporter.hasFailed)
    try reporter.reserve()
    let isAdmitted = reporter.admit(try voice())
    #expect(!isAdmitted)
  }
}
