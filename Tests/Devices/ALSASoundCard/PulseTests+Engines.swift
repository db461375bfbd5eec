import AudioCore
import AudioPlayerClient
import AudioRecorderClient
import ClientDependencies
import SoundCard
import Testing

@testable import ALSASoundCard

/// Tests the clients' engines while their sound server hangs or ends.
extension PulseTests {
  /// Ten seconds, longer than any test plays.
  private var longSound: [Float] { ramp(480_000, from: 1) }

  @Test func `a playback throws deviceLost when the sound server ends`() async throws {
    let bench = try EngineHarness()
    let played = await bench.play(longSound, on: "syrinxpulse") { _ in try? self.bench.stopPulse() }
    #expect(played.error == .deviceLost("syrinxpulse"))
    try self.bench.startPulse()
    let again = await bench.play(ramp(4_800), on: "syrinxpulse")
    #expect(again.finish?.reason == .completed, "\(again)")
  }

  @Test func `a recording throws deviceLost when the sound server ends`()
    async throws
  {
    let bench = try EngineHarness()
    let recorded = try await bench.record(nil, from: "syrinxpulse") { _ in
      try? self.bench.stopPulse()
    }
    #expect(recorded.error == .deviceLost("syrinxpulse"))
    try self.bench.startPulse()
    let again = try await bench.record(.milliseconds(200), from: "syrinxpulse")
    #expect(again.finish?.reason == .lengthReached, "\(again)")
    #expect(again.samples.count == 9_600)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a recording of one channel of a sound server has no sound of other channels`() async throws
  {
    let playback = try ALSADevice(.playback, request("syrinxpulse", channels: 2))
    let right: [Float] = (0..<96_000).map { $0.isMultiple(of: 2) ? 0 : 0.25 }
    #expect(await playback.play(right).error == nil)
    let playing = Task {
      while !Task.isCancelled { #expect(await playback.play(right).error == nil) }
    }
    let bench = try EngineHarness()
    var captured: [Float] = []
    // The server begins with silence, so record until there is a signal.
    while !captured.contains(where: { $0 != 0 }) {
      captured = try await bench.record(.milliseconds(500), from: "syrinxpulse", channel: 1).samples
    }
    #expect(captured.allSatisfy { $0 == 0 || $0 == 0.25 })
    let left = try await bench.record(.milliseconds(500), from: "syrinxpulse", channel: 0).samples
    #expect(left.count == 24_000 && left.allSatisfy { $0 == 0 })
    let third = try await bench.record(.milliseconds(500), from: "syrinxpulse", channel: 2).samples
    #expect(third.count == 24_000 && third.allSatisfy { $0 == 0 })
    playing.cancel()
    await playing.value
  }

  @Test func `stop returns while the sound server hangs`() async throws {
    let played = try await EngineHarness().play(longSound, on: "syrinxpulse") { player in
      try? self.bench.pausePulse()
      await player.stop()
    }
    try bench.continuePulse()
    #expect(played.finish?.reason == .stopped)
  }

  @Test func `stopRecording returns while the sound server hangs`() async throws {
    let recorded = try await EngineHarness().record(nil, from: "syrinxpulse") { recorder in
      try? self.bench.pausePulse()
      await recorder.stopRecording()
    }
    try bench.continuePulse()
    #expect(recorded.finish?.reason == .stopped)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a waiting recording continues when a hung sound server resumes`()
    async throws
  {
    try await expectReturn(after: bench.pausePulse, by: bench.continuePulse)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a waiting recording continues when a killed sound server restarts`()
    async throws
  {
    try await expectReturn(after: bench.killPulse, by: bench.startPulse)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a waiting playback continues when a hung sound server resumes`()
    async throws
  {
    defer { try? bench.continuePulse() }
    let played = await (try EngineHarness()).play(
      ramp(144_000, from: 1), on: "syrinxpulse", onDeviceLoss: .wait(atMost: .seconds(60)),
      act: { _ in #expect(throws: Never.self) { try self.bench.pausePulse() } },
      onEvent: { event in
        if event == .deviceLost { #expect(throws: Never.self) { try bench.continuePulse() } }
      })
    let gaps = played.events.filter { if case .deviceReturned = $0 { true } else { false } }
    #expect(played.events.count { $0 == .deviceLost } == 1 && gaps.count == 1)
    #expect(played.finish == PlaybackFinish(reason: .completed, played: .seconds(3)), "\(played)")
  }

  @Test(.timeLimit(.minutes(5)))
  func `a playback that fails on device loss throws deviceLost when the sound server hangs`()
    async throws
  {
    defer { try? bench.continuePulse() }
    let played = await (try EngineHarness()).play(longSound, on: "syrinxpulse") { _ in
      #expect(throws: Never.self) { try self.bench.pausePulse() }
    }
    #expect(played.error == .deviceLost("syrinxpulse"), "\(played.events.suffix(3))")
  }

  @Test(.timeLimit(.minutes(5)))
  func `a recording that fails on device loss throws deviceLost when the sound server hangs`()
    async throws
  {
    // Later tests must not find a hung server; resuming a running server has no effect.
    defer { try? bench.continuePulse() }
    let recorded = try await EngineHarness().record(nil, from: "syrinxpulse") { _ in
      #expect(throws: Never.self) { try self.bench.pausePulse() }
    }
    try bench.continuePulse()
    #expect(recorded.error == .deviceLost("syrinxpulse"), "\(recorded.events.suffix(3))")
    let captured = recorded.events.compactMap(\.recordedLength).last ?? .zero
    #expect(recorded.samples.count >= FrameCount(captured, at: 48_000).rawValue)
  }

  /// Records for eight seconds; calls `harm` once sound has been recorded, and `mend` once the
  /// server is lost.
  private func expectReturn(
    after harm: () throws -> Void, by mend: () throws -> Void
  ) async throws {
    var isHarmed = false
    // Later tests must not find a hung server; resuming a running server has no effect.
    defer { try? mend() }
    let recorded = try await EngineHarness().record(
      .seconds(8), from: "syrinxpulse", onDeviceLoss: .wait(atMost: .seconds(60)),
      onEvent: { event in
        if case .levels = event, !isHarmed {
          isHarmed = true
          #expect(throws: Never.self) { try harm() }
        }
        if event == .deviceLost { #expect(throws: Never.self) { try mend() } }
      })
    let gaps = recorded.events.filter { if case .deviceReturned = $0 { true } else { false } }
    #expect(recorded.error == nil && recorded.finish?.reason == .lengthReached)
    #expect(recorded.events.count { $0 == .deviceLost } == 1 && gaps.count == 1)
    #expect(recorded.samples.count == 384_000)
  }

  @Test func `opening a device of a hung sound server throws notResponding`()
    async throws
  {
    try bench.pausePulse()
    let hanging = await EngineHarness.opening("syrinxpulse")
    #expect(hanging == .notResponding("syrinxpulse", operation: "alsa-open"))
    let other = await EngineHarness.opening(testCard(""))
    try bench.continuePulse()
    #expect(other == nil)
  }
}

extension EngineHarness {
  /// Opens a device and returns the error, or nil.
  static func opening(_ device: String) async -> SoundCardError? {
    do {
      try await withDependencies {
        $0.continuousClock = ContinuousClock()
      } operation: {
        try await SoundCard.liveValue.openPlayback(request: request(device)).close()
      }
      return nil
    } catch {
      return error as? SoundCardError
    }
  }
}

extension RecordingEvent {
  /// The recorded length, if the event has one.
  fileprivate var recordedLength: Duration? {
    if case .levels(let levels) = self { levels.recorded } else { nil }
  }
}
