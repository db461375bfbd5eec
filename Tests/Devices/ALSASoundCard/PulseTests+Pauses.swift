import AudioCore
import AudioPlayerClient
import AudioRecorderClient
import Foundation
import SoundCard
import Testing

@testable import ALSASoundCard

/// Tests a sound server that suspends a sink or moves a stream, as desktop settings do.
extension PulseTests {
  @Test(.timeLimit(.minutes(5)))
  func `a playback continues after its sink was suspended for two and a half seconds`() async throws
  {
    try await expectPlayback { try await suspendSink() }
  }

  @Test(.timeLimit(.minutes(5)))
  func `a playback continues after its stream was moved to another sink and back`() async throws {
    try await expectPlayback { try await moveStreams() }
  }

  @Test(.timeLimit(.minutes(5)))
  func `a recording continues after its sink was suspended for two and a half seconds`()
    async throws
  {
    try await expectRecording { try await suspendSink() }
  }

  @Test(.timeLimit(.minutes(5)))
  func `a recording continues after its stream was moved to another source and back`() async throws
  {
    try await expectRecording { try await moveStreams() }
  }

  private func suspendSink() async throws {
    try bench.suspendSink(true)
    try await passTime()
    try bench.suspendSink(false)
  }

  private func moveStreams() async throws {
    try bench.moveStreams(to: "syrinx51")
    try await passTime()
    try bench.moveStreams(to: "syrinx")
  }

  /// Waits for 2.5 s, measured by a capture from the sink `syrinx51`.
  private func passTime() async throws {
    let other = try ALSADevice(.capture, request("syrinxpulse51", channels: 6))
    let account = await other.record(120_000)
    #expect(account.error == nil && account.frames.count >= 720_000)
    other.close()
  }

  /// Plays for four seconds; calls `pause` once sound is played.
  private func expectPlayback(
    after pause: @escaping @Sendable () async throws -> Void
  ) async throws {
    var pausing: Task<Void, any Error>?
    let played = await (try EngineHarness()).play(
      ramp(192_000, from: 1), on: "syrinxpulse",
      onEvent: { event in
        guard case .progress(let progress) = event, progress.played > .zero else { return }
        if pausing == nil { pausing = Task { try await pause() } }
      })
    try await #require(pausing).value
    #expect(played.error == nil && !played.events.contains(.deviceLost))
    #expect(played.finish == PlaybackFinish(reason: .completed, played: .seconds(4)), "\(played)")
  }

  /// Records for four seconds; calls `pause` once sound is recorded.
  private func expectRecording(
    after pause: @escaping @Sendable () async throws -> Void
  ) async throws {
    var pausing: Task<Void, any Error>?
    let recorded = try await EngineHarness().record(
      .seconds(4), from: "syrinxpulse",
      onEvent: { event in
        guard case .levels = event, pausing == nil else { return }
        pausing = Task { try await pause() }
      })
    try await #require(pausing).value
    #expect(recorded.error == nil && !recorded.events.contains(.deviceLost))
    #expect(recorded.finish?.reason == .lengthReached && recorded.samples.count == 192_000)
  }
}
