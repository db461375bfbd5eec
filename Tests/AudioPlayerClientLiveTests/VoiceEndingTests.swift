import AudioCore
import AudioPlayerClient
import SoundCard
import Testing

@testable import AudioPlayerClientLive

@Suite struct VoiceEndingTests {
  /// The events that reports of a voice at 8 kHz come to.
  private func events(
    _ reports: [VoiceReport], every interval: Duration = .zero
  ) -> [PlaybackEvent] {
    let ending = VoiceEnding(
      rate: 8_000, progressInterval: interval, waiters: ControlWaiters(PlaybackID()))
    var events: [PlaybackEvent] = []
    for report in reports { ending.take(report) { events.append($0) } }
    return events
  }

  private func progress(_ milliseconds: Int) -> PlaybackEvent {
    .progress(PlaybackProgress(heard: .milliseconds(milliseconds)))
  }

  @Test func `progress comes every twentieth of a second, however often there is a report`() {
    let told = events((0..<1_200).map { .heard($0) })
    #expect(told == [progress(50), progress(100)])
  }

  @Test func `progress comes as seldom as it was asked for`() {
    let told = events((0..<5_000).map { .heard($0) }, every: .milliseconds(250))
    #expect(told == [progress(250), progress(500)])
  }

  @Test func `the last progress is always told`() {
    #expect(events([.heard(401), .finished(heard: 402)]).count == 2)
    #expect(events([.finished(heard: 8)]) == [progress(1)])
  }

  @Test func `a device that is lost does not swallow how much was heard`() {
    let lost = VoiceReport.failed(SoundCardError.deviceLost("x"), heard: 480)
    #expect(events([.heard(400), .heard(480), lost]) == [progress(50), progress(60)])
  }

  @Test func `a late source and a device in trouble are told apart`() {
    #expect(
      events([.starved(80), .silence(800)]) == [
        .starved(.milliseconds(10)), .xrun(.milliseconds(100)),
      ])
  }

  @Test func `who waits for the end gets what was heard, or what failed`() async throws {
    let ending = VoiceEnding(rate: 8_000, waiters: ControlWaiters(PlaybackID()))
    ending.take(.finished(heard: 8_000)) { _ in }
    #expect(try await ending.heard() == .seconds(1))
    let failing = VoiceEnding(rate: 8_000, waiters: ControlWaiters(PlaybackID()))
    failing.take(.failed(SoundCardError.deviceLost("x"), heard: 0)) { _ in }
    await #expect(throws: SoundCardError.deviceLost("x")) { _ = try await failing.heard() }
  }
}
