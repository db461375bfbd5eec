import AudioCore
import AudioPlayerClient
import SoundCard
import Testing

@testable import AudioPlayerClientLive

@Suite struct VoiceEventsTests {
  /// The events for reports about a voice at 8 kHz.
  private func events(
    _ reports: [VoiceReport], every interval: Duration = .zero
  ) -> [PlaybackEvent] {
    let ending = VoiceEvents(
      rate: 8_000, progressInterval: interval, waiters: CommandWaiters(PlaybackID()))
    var events: [PlaybackEvent] = []
    for report in reports { ending.process(report) { events.append($0) } }
    return events
  }

  private func progress(_ milliseconds: Int) -> PlaybackEvent {
    .progress(PlaybackProgress(played: .milliseconds(milliseconds)))
  }

  @Test func `progress is an event every 50 ms, however often there is a report`() {
    let told = events((0..<1_200).map { .played(frames: $0) })
    #expect(told == [progress(50), progress(100)])
  }

  @Test func `progress is an event at the requested interval`() {
    let told = events((0..<5_000).map { .played(frames: $0) }, every: .milliseconds(250))
    #expect(told == [progress(250), progress(500)])
  }

  @Test func `the last progress is always an event`() {
    #expect(events([.played(frames: 401), .finished(played: 402)]).count == 2)
    #expect(events([.finished(played: 8)]) == [progress(1)])
  }

  @Test func `a lost device does not lose the last progress`() {
    let lost = VoiceReport.failed(SoundCardError.deviceLost("x"), played: 480)
    #expect(
      events([.played(frames: 400), .played(frames: 480), lost]) == [progress(50), progress(60)])
  }

  @Test func `silence of a late source and of the device are different events`() {
    #expect(
      events([.starved(frames: 80), .silence(frames: 800)]) == [
        .starved(.milliseconds(10)), .xrun(.milliseconds(100)),
      ])
  }

  @Test func `the end of a voice returns its played duration or throws its error`() async throws {
    let ending = VoiceEvents(rate: 8_000, waiters: CommandWaiters(PlaybackID()))
    ending.process(.finished(played: 8_000)) { _ in }
    #expect(try await ending.played() == .seconds(1))
    let failing = VoiceEvents(rate: 8_000, waiters: CommandWaiters(PlaybackID()))
    failing.process(.failed(SoundCardError.deviceLost("x"), played: 0)) { _ in }
    await #expect(throws: SoundCardError.deviceLost("x")) { _ = try await failing.played() }
  }
}
