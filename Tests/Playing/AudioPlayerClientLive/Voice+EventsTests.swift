import AudioCore
import AudioPlayerClient
import SoundCard
import Synchronization
import Testing

@testable import AudioPlayerClientLive

@Suite struct VoiceEventsTests {
  private func voice(
    every interval: Duration = .zero,
    _ listener: @escaping @Sendable (PlaybackEvent) -> Void = { _ in }
  ) throws -> Voice {
    Voice(
      format: AudioFormat(sampleRate: 8_000, channelCount: 1), capacity: .seconds(1),
      prefill: .zero, volume: 1, progressInterval: interval, listener: listener)
  }

  /// Returns the events of a voice at 8 kHz.
  private func events(
    every interval: Duration = .zero, _ body: (Voice) -> Void
  ) throws -> [PlaybackEvent] {
    let reported = Reported()
    body(try voice(every: interval) { event in reported.events.withLock { $0.append(event) } })
    return reported.events.withLock { $0 }
  }

  private final class Reported: Sendable {
    let events = Mutex<[PlaybackEvent]>([])
  }

  private func progress(_ milliseconds: Int) -> PlaybackEvent {
    .progress(PlaybackProgress(played: .milliseconds(milliseconds)))
  }

  @Test func `progress is reported every 50 ms, however often frames are reported as played`()
    throws
  {
    let reported = try events { voice in (0..<1_200).forEach { voice.pass($0) } }
    #expect(reported == [progress(50), progress(100)])
  }

  @Test func `progress is reported at the requested interval`() throws {
    let reported = try events(every: .milliseconds(250)) { voice in
      (0..<5_000).forEach { voice.pass($0) }
    }
    #expect(reported == [progress(250), progress(500)])
  }

  @Test func `the last progress is always reported`() throws {
    #expect(
      try events { voice in
        voice.pass(401)
        voice.reportEnd(at: 402)
      }.count == 2)
    #expect(try events { $0.reportEnd(at: 8) } == [progress(1)])
  }

  @Test func `the last progress is reported even if the device is lost`() throws {
    let reported = try events { voice in
      voice.pass(400)
      voice.pass(480)
      voice.reportEnd(at: 480, SoundCardError.deviceLost("x"))
    }
    #expect(reported == [progress(50), progress(60)])
  }

  @Test
  func `silence of a late source is reported as starved, and silence of the device as an xrun`()
    throws
  {
    let reported = try events { voice in
      voice.report(.starved(0, frames: 80))
      voice.report(.silence(0, frames: 800))
    }
    #expect(reported == [.starved(.milliseconds(10)), .xrun(.milliseconds(100))])
  }

  @Test func `played() returns the duration of a voice that has ended, or throws its error`()
    async throws
  {
    let ending = try voice()
    ending.reportEnd(at: 8_000)
    #expect(try await ending.played() == .seconds(1))
    let failing = try voice()
    failing.reportEnd(at: 0, SoundCardError.deviceLost("x"))
    await #expect(throws: SoundCardError.deviceLost("x")) { _ = try await failing.played() }
  }
}
